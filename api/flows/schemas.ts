/** Order flows as their store sees them (docs/contract.md#authoring). */
import type { CommerceFlow, FlowSecret } from '../../db/flows/entities.ts';
import type { VersionSummary } from '../../db/flows/stored.ts';
import type { Graph } from '../../domain/flows/graph/graph.ts';
import { builtInGraph } from '../../domain/flows/presets/index.ts';
import { GraphForm } from '../../domain/flows/form/schemas.ts';
import { korean, koreanOf } from '../../domain/kernel/time.ts';
import { closed, Id, Name, nullable, oneOf, Timestamp, Type } from '../declare/schema.ts';

/** A graph, with an example; of one that is sent, the documents tell more. */
const graphTitled = (title: string) => Type.Unsafe<Graph>({ ...GraphForm, title, examples: [builtInGraph('manual-standard')] });
export const FlowGraph = graphTitled('FlowGraph');
const SentGraph = graphTitled('FlowGraphRequest');
const FlowKey = Type.String({ pattern: '^[a-z][a-z0-9-]{1,39}$', description: 'Unique in the store for ever' });
const PresetKey = Type.String({ minLength: 1, maxLength: 40, examples: ['custom-made'] });
const VersionNo = Type.Integer({ minimum: 1 });
const Progression = oneOf(['ITEM', 'ORDER_GROUP'], 'Whether items move alone, or all of an order together');
const InProgress = Type.Integer({ minimum: 0, description: 'Orders with an unfinished item in this version' });

export const FlowRequest = closed(
  { key: FlowKey, name: Name(50), presetKey: Type.Optional(PresetKey), graph: Type.Optional(SentGraph) },
  {
    title: 'FlowRequest',
    description: 'A preset, a graph, or neither: one paid state without exit',
    'x-document': { anyOf: [{ properties: { graph: { not: {} } } }, { properties: { presetKey: { not: {} } } }] },
  },
);
export const DraftRequest = closed({ graph: SentGraph }, { title: 'FlowDraftRequest' });

const draftHead = { version: Type.Integer({ minimum: 1, description: 'The number that it will have' }), updatedAt: Timestamp };
const flowFields = {
  flowId: Id,
  key: Type.String(),
  name: Type.String(),
  presetKey: nullable(Type.String()),
  defaultFor: nullable(oneOf(['SHIPPING', 'MANUAL'], 'Of the two default flows, which cannot be edited')),
  latestVersion: nullable(VersionNo),
  versions: Type.Array(closed({ version: VersionNo, progression: Progression, publishedAt: Timestamp, inProgress: InProgress }), {
    description: 'The newest 100; in lists the newest 20. GET …/versions has all',
  }),
  createdAt: Timestamp,
};
export const Flow = closed({ ...flowFields, draft: nullable(closed({ ...draftHead, graph: FlowGraph })) }, { title: 'Flow' });
/** Of lists: a draft without its graph. */
export const FlowSummary = closed({ ...flowFields, draft: nullable(closed(draftHead)) }, { title: 'FlowSummary' });
export const Draft = closed({ flowId: Id, ...draftHead, graph: FlowGraph }, { title: 'FlowDraft' });

const versionFields = {
  flowId: Id,
  key: Type.String(),
  version: VersionNo,
  progression: Progression,
  publishedAt: Timestamp,
  inProgress: InProgress,
};
export const VersionHead = closed(versionFields, { title: 'FlowVersionSummary' });
export const Version = closed({ ...versionFields, graph: FlowGraph }, { title: 'FlowVersion' });

export const Migration = closed(
  {
    fromVersion: VersionNo,
    toVersion: VersionNo,
    migrated: Type.Integer({ minimum: 0, description: 'Items that this call has moved' }),
    skipped: Type.Integer({ minimum: 0, description: 'Items that cannot be moved now' }),
    remaining: Type.Integer({ minimum: 0, description: 'Items that can be, and were not reached; 0 ends the repetition' }),
  },
  { title: 'FlowMigration' },
);

export const Secret = closed(
  { name: Type.String(), url: Type.String(), headerName: Type.String(), updatedAt: Timestamp },
  { title: 'FlowSecret', description: 'The header’s value is never shown' },
);

type Versions = readonly VersionSummary[];
/** Without the graph of its draft. */
type Listed = Pick<CommerceFlow, 'flowId' | 'key' | 'name' | 'presetKey' | 'defaultFor' | 'draftUpdatedAt' | 'latestVersion' | 'createdAt'>;
/** The draft of the next version; null: there is none. */
const headOf = ({ draftUpdatedAt, latestVersion }: Listed) =>
  draftUpdatedAt ? { version: latestVersion + 1, updatedAt: koreanOf(draftUpdatedAt) } : null;

export const viewSummary = (flow: Listed, versions: Versions = []) => ({
  flowId: flow.flowId,
  key: flow.key,
  name: flow.name,
  presetKey: flow.presetKey ?? null,
  defaultFor: flow.defaultFor ?? null,
  draft: headOf(flow),
  latestVersion: flow.latestVersion || null,
  versions: versions.map(({ version, progression, publishedAt, inProgress }) => ({
    version,
    progression,
    publishedAt: korean(publishedAt),
    inProgress,
  })),
  createdAt: koreanOf(flow.createdAt),
});
export function viewFlow(flow: CommerceFlow, versions?: Versions) {
  const head = headOf(flow);
  return { ...viewSummary(flow, versions), draft: head && { ...head, graph: flow.draftGraph! } };
}
export const viewDraft = (flow: CommerceFlow) => ({ flowId: flow.flowId, ...headOf(flow)!, graph: flow.draftGraph! });
export const viewVersion = ({ publishedAt, ...version }: VersionSummary) => ({ ...version, publishedAt: korean(publishedAt) });
export const viewSecret = ({ name, url, headerName, updatedAt }: FlowSecret) => ({
  name,
  url,
  headerName,
  updatedAt: koreanOf(updatedAt),
});
