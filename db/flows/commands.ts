/** Changes of order flows: creation, draft, publish. */
import { bundleOf } from '../../domain/flows/check/bundle.ts';
import type { Checked } from '../../domain/flows/check/checkGraph.ts';
import { contextOf, type DraftFacts } from '../../domain/flows/check/context.ts';
import type { Graph } from '../../domain/flows/graph/graph.ts';
import { emptyGraph, PRESETS } from '../../domain/flows/presets/index.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { PLATFORM_FIELDS } from '../../domain/orders/platform.ts';
import { newId } from '../kernel/clock.ts';
import type { Tx } from '../kernel/tx.ts';
import { factsDigest, draftFacts } from './checkContext.ts';
import { type CommerceFlow, FlowVersionEntity } from './entities.ts';
import { currentGraph, findFlow } from './stored.ts';

export interface NewFlow {
  readonly key: string;
  readonly name: string;
  readonly presetKey?: string | undefined;
  readonly graph?: Graph | undefined;
}

/** Creates a flow with the draft of its first version. FLOW_PRESET_NOT_FOUND, FLOW_KEY_TAKEN. */
export async function createFlow(tx: Tx, { key, name, presetKey, graph }: NewFlow): Promise<CommerceFlow> {
  const { sql, storeId, at } = tx;
  const preset = presetKey === undefined ? null : PRESETS.find((one) => one.key === presetKey);
  if (preset === undefined) throw new Fault('FLOW_PRESET_NOT_FOUND');
  const draft = graph ?? preset?.graph ?? emptyGraph();
  const flowId = newId('flw', at);
  const now = new Date(at);
  // A concurrent duplicate waits here for the other one's commit.
  const created = await sql`
    INSERT INTO commerce_flow (store_id, flow_id, key, name, preset_key, draft_graph, draft_updated_at, created_at)
    VALUES (${storeId}, ${flowId}, ${key}, ${name}, ${preset?.key ?? null}, ${JSON.stringify(draft)}, ${now}, ${now})
    ON CONFLICT (store_id, key) DO NOTHING RETURNING 1 AS ok`;
  if (created.length === 0) throw new Fault('FLOW_KEY_TAKEN');
  return findFlow(tx, flowId);
}

/** The draft, or the newest version where there is none, with what it is checked against. FLOW_NOT_FOUND. */
export async function checkedFacts(tx: Tx, flowId: string): Promise<DraftFacts> {
  const flow = await findFlow(tx, flowId);
  return draftFacts(tx, flow.key, await currentGraph(tx, flow));
}

/** What a check of a draft has found, and of which draft. */
export interface Verdict {
  readonly digest: string;
  readonly checked: Checked;
}
/** Another draft, or other versions of what it calls, than the verdict is about: it has to be checked first. */
export class NotChecked extends Error {}

/** Locks a flow before what is shown of it is compared with what a change leaves. */
export const lockFlow = ({ sql, storeId }: Tx, flowId: string): Promise<object[]> =>
  sql`SELECT 1 AS ok FROM commerce_flow WHERE store_id = ${storeId} AND flow_id = ${flowId} FOR NO KEY UPDATE`;

/** The flow, locked. FLOW_NOT_FOUND, FLOW_DEFAULT_LOCKED. */
async function editableFlow(tx: Tx, flowId: string): Promise<CommerceFlow> {
  await lockFlow(tx, flowId);
  const flow = await findFlow(tx, flowId);
  if (flow.defaultFor) throw new Fault('FLOW_DEFAULT_LOCKED');
  return flow;
}

/** Replaces the draft, or opens that of the next version: the last writer wins. */
export async function saveDraft(tx: Tx, flowId: string, graph: Graph): Promise<CommerceFlow> {
  const flow = await editableFlow(tx, flowId);
  return Object.assign(flow, { draftGraph: graph, draftUpdatedAt: new Date(tx.at) });
}

/**
 * Makes the draft that it has locked a version for ever, call targets pinned; returns its number. So of parallel publishes one makes a
 * version, the others are FLOW_UNCHANGED, as without a draft. PUBLISH_BLOCKED with the problems. The check is expensive, so that it
 * was made before and elsewhere (F45): NotChecked where it was of another draft.
 */
export async function publishDraft(
  tx: Tx,
  flowId: string,
  verdict: Verdict | null,
): Promise<{ readonly flow: CommerceFlow; readonly version: number }> {
  const { em, storeId, at } = tx;
  const flow = await editableFlow(tx, flowId);
  if (!flow.draftGraph) throw new Fault('FLOW_UNCHANGED');
  const facts = await draftFacts(tx, flow.key, flow.draftGraph);
  if (verdict?.digest !== factsDigest(facts)) throw new NotChecked();
  const { publishable, blocking } = verdict.checked;
  if (!publishable) throw new Fault('PUBLISH_BLOCKED', { details: { blocking } });
  const { graph, bundle } = bundleOf(flow.draftGraph, contextOf(facts, PLATFORM_FIELDS));
  const version = flow.latestVersion + 1;
  const progression = graph.requires?.progression ?? 'ITEM';
  em.persist(
    em.create(FlowVersionEntity, { storeId, flowId, version, key: flow.key, graph, bundle, progression, publishedAt: new Date(at) }),
  );
  Object.assign(flow, { latestVersion: version, draftGraph: null, draftUpdatedAt: null });
  await em.flush();
  return { flow, version };
}
