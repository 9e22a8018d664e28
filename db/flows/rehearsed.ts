/** The flow that simulations and replays look at. */
import type { DraftFacts } from '../../domain/flows/check/context.ts';
import { builtInGraph } from '../../domain/flows/presets/index.ts';
import type { Tx } from '../kernel/tx.ts';
import { draftFacts } from './checkContext.ts';
import type { FlowRef } from './loaded.ts';
import { findFlow } from './stored.ts';

/** The draft with what it is checked against, or the bundle of a published version, as JSON. */
export type FlowSource = { readonly draft: DraftFacts } | { readonly bundle: string };

/** The draft as it would be published now; without one the newest version. FLOW_NOT_FOUND. */
export async function rehearsedFlow(tx: Tx, flowId: string): Promise<{ readonly source: FlowSource; readonly version: number }> {
  const { key, draftGraph, latestVersion } = await findFlow(tx, flowId);
  if (draftGraph) return { source: { draft: await draftFacts(tx, key, draftGraph) }, version: latestVersion + 1 };
  return { source: { bundle: await bundleText(tx, { flowKey: key, flowVersion: latestVersion }) }, version: latestVersion };
}

/** The bundle of a published version, as JSON. */
export async function bundleText({ sql, storeId }: Tx, { flowKey, flowVersion }: FlowRef): Promise<string> {
  const [row] = await sql<{ bundle: string | null }>`
    SELECT bundle::text AS bundle FROM flow_version WHERE store_id = ${storeId} AND key = ${flowKey} AND version = ${flowVersion}`;
  if (!row) throw new Error(`No flow ${flowKey}@${flowVersion}`);
  return row.bundle ?? JSON.stringify({ '': builtInGraph(flowKey) });
}
