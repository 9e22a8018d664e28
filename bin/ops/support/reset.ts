import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';

/** The workflow tasks of a run that it may be reset to: the ids of their completed events. */
export async function workflowTasks(client: Client, workflowId: string, runId?: string): Promise<number[]> {
  const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  return (events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes).map((event) => Number(event.eventId));
}

/**
 * Resets a run, open or closed, to one of its workflow tasks. The new run loads what Postgres says: nothing that was
 * done is done again. Answers the new run's id.
 */
export async function resetRun(client: Client, workflowId: string, eventId: number, reason: string, runId?: string): Promise<string> {
  const run = runId ?? (await client.workflow.getHandle(workflowId).describe()).runId;
  const reset = await client.workflowService.resetWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId, runId: run },
    workflowTaskFinishEventId: eventId as never,
    reason,
    requestId: randomUUID(),
  });
  return reset.runId;
}
