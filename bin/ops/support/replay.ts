/** Replays a workflow's history on this checkout's workflow code, which detects nondeterminism. Changes nothing. */
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { workflowBundle } from '../../../worker/bundle.ts';
import { untraced } from '../../../worker/tracing.ts';
import type { Support } from './context.ts';

export async function replay(
  { temporal }: Support,
  workflowId: string,
): Promise<{ agrees: boolean; events: number; difference: string | null }> {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const history = await temporal.workflow.getHandle(workflowId).fetchHistory();
  const events = history.events?.length ?? 0;
  try {
    await Worker.runReplayHistory({ workflowBundle: await workflowBundle(), ...untraced }, history, workflowId);
    return { agrees: true, events, difference: null };
  } catch (error) {
    return { agrees: false, events, difference: error instanceof Error ? error.message : String(error) };
  }
}
