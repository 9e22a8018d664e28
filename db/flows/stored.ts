/** Order flows of a store: their drafts and their published versions (docs/contract.md#authoring). */
import { builtInGraph } from '../../domain/flows/presets/index.ts';
import type { Graph, Progression } from '../../domain/flows/graph/graph.ts';
import { WAITING_STATUSES } from '../../domain/flows/graph/graph.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { msOf } from '../../domain/kernel/time.ts';
import { offset, type PageRequest } from '../kernel/page.ts';
import type { Tx } from '../kernel/tx.ts';
import { type CommerceFlow, CommerceFlowEntity, type FlowVersion, FlowVersionEntity } from './entities.ts';

/** FLOW_NOT_FOUND, also for another store's. */
export async function findFlow({ em, storeId }: Tx, flowId: string): Promise<CommerceFlow> {
  const flow = await em.findOne(CommerceFlowEntity, { storeId, flowId });
  if (!flow) throw new Fault('FLOW_NOT_FOUND');
  return flow;
}

/** The two default flows first, then the newest; without the graphs of their drafts. */
export const listFlows = ({ em, storeId }: Tx, page: PageRequest) =>
  em.findAndCount(
    CommerceFlowEntity,
    { storeId },
    { exclude: ['draftGraph'], orderBy: { defaultFor: 'desc nulls last', createdAt: 'desc', flowId: 'desc' }, ...offset(page) },
  );

/** Whether nobody may edit it; false also where there is no such flow. */
export const isDefaultFlow = async ({ sql, storeId }: Tx, flowId: string): Promise<boolean> =>
  (await sql`SELECT 1 AS ok FROM commerce_flow WHERE store_id = ${storeId} AND flow_id = ${flowId} AND default_for IS NOT NULL`).length > 0;

const ALL_VERSIONS = 1_000_000_000;
/** How many of a flow's versions the flow itself tells, and in a list: the newest; latestVersion tells how many there are. */
export const SHOWN_VERSIONS = { limit: 100, offset: 0 } as const;
export const LISTED_VERSIONS = { limit: 20, offset: 0 } as const;

/** A published version without its graph. `inProgress`: the orders that have an unfinished item in it. */
export interface VersionSummary {
  readonly flowId: string;
  readonly key: string;
  readonly version: number;
  readonly progression: Progression;
  readonly publishedAt: number;
  readonly inProgress: number;
}
interface VersionRow {
  readonly flow_id: string;
  readonly key: string;
  readonly version: number;
  readonly progression: Progression;
  readonly published_at: Date | string;
  readonly in_progress: number;
}

/**
 * The versions of these flows, newest first, with their orders in progress: one statement for all. `limit`: so many of each, behind the
 * newest `offset`.
 */
export async function versionsOf(
  { sql, storeId }: Tx,
  flows: readonly Pick<CommerceFlow, 'flowId' | 'key'>[],
  { limit, offset: passed }: { readonly limit: number; readonly offset: number } = { limit: ALL_VERSIONS, offset: 0 },
): Promise<ReadonlyMap<string, readonly VersionSummary[]>> {
  const [ids, keys] = [flows.map(({ flowId }) => flowId), flows.map(({ key }) => key)];
  const rows = await sql<VersionRow>`
    SELECT v.flow_id, v.key, v.version, v.progression, v.published_at, coalesce(n.orders, 0)::integer AS in_progress
      FROM (SELECT flow_id, key, version, progression, published_at, row_number() OVER (PARTITION BY flow_id ORDER BY version DESC) AS place
        FROM flow_version WHERE store_id = ${storeId} AND flow_id = ANY (${ids}::text[])) v LEFT JOIN (
        SELECT flow_key, flow_version, count(DISTINCT order_id) AS orders FROM order_item
         WHERE store_id = ${storeId} AND flow_key = ANY (${keys}::text[]) AND status = ANY (${[...WAITING_STATUSES]}::text[])
         GROUP BY flow_key, flow_version) n ON n.flow_key = v.key AND n.flow_version = v.version
     WHERE v.place > ${passed}::integer AND v.place <= ${passed + limit}::integer ORDER BY v.version DESC`;
  return Map.groupBy(rows.map(summaryOf), ({ flowId }) => flowId);
}
const summaryOf = (row: VersionRow): VersionSummary => ({
  flowId: row.flow_id,
  key: row.key,
  version: row.version,
  progression: row.progression,
  publishedAt: msOf(row.published_at),
  inProgress: row.in_progress,
});

/** The number that a path names; FLOW_VERSION_NOT_FOUND, also where it is none. */
export function versionNumber(text: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw new Fault('FLOW_VERSION_NOT_FOUND');
  return Number(text);
}

/** The draft; without one the newest version. */
export const currentGraph = async (tx: Tx, flow: CommerceFlow): Promise<Graph> => flow.draftGraph ?? graphOf(tx, flow, flow.latestVersion);

/** FLOW_VERSION_NOT_FOUND. */
export async function findVersion({ em, storeId }: Tx, { flowId }: CommerceFlow, version: number): Promise<FlowVersion> {
  const found = await em.findOne(FlowVersionEntity, { storeId, flowId, version });
  if (!found) throw new Fault('FLOW_VERSION_NOT_FOUND');
  return found;
}

/** The graph of a version, its call targets pinned; FLOW_VERSION_NOT_FOUND. */
export async function graphOf(tx: Tx, flow: CommerceFlow, version: number): Promise<Graph> {
  const graph = (await findVersion(tx, flow, version)).graph ?? builtInGraph(flow.key);
  if (!graph) throw new Error(`The version ${flow.key}@${version} has no graph`);
  return graph;
}
