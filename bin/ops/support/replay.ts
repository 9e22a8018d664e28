/** Replays a workflow's history on this checkout's workflow code, which detects nondeterminism. Changes nothing. */
import { untraced } from '../../../worker/tracing.ts';
import type { Support } from './context.ts';

export async function replay(
  { temporal }: Support,
  workflowId: string,
): Promise<{ agrees: boolean; events: number; difference: string | null }> {
  // Loaded for this command alone: it is the larger part of a start.
  const [{ DefaultLogger, Runtime, Worker }, { workflowBundle }] = await Promise.all([
    import('@temporalio/worker'),
    import('../../../worker/bundle.ts'),
  ]);
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
