/** The flow that simulations and replays look at. */
import { bundleOf } from '../../domain/flows/bundle.ts';
import { checkGraph } from '../../domain/flows/check/checkGraph.ts';
import { compileFlow, type Flow } from '../../domain/flows/flow.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { Tx } from '../kernel/tx.ts';
import { checkContextOf } from './checkContext.ts';
import { flowOf, loadFlows } from './loaded.ts';
import { findFlow } from './stored.ts';

/** The draft as it would be published now; without one the newest version (F6). FLOW_NOT_FOUND, PUBLISH_BLOCKED. */
export async function rehearsedFlow(tx: Tx, flowId: string): Promise<{ readonly flow: Flow; readonly version: number }> {
  const { key, draftGraph, latestVersion } = await findFlow(tx, flowId);
  if (!draftGraph) {
    const newest = { flowKey: key, flowVersion: latestVersion };
    await loadFlows(tx, [newest]);
    return { flow: flowOf(newest), version: latestVersion };
  }
  const context = await checkContextOf(tx, key, draftGraph);
  const { publishable, blocking } = checkGraph(draftGraph, context);
  if (!publishable) throw new Fault('PUBLISH_BLOCKED', { details: { blocking } });
  return { flow: compileFlow(bundleOf(draftGraph, context).bundle), version: latestVersion + 1 };
}
