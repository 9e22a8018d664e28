import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';

/** The workflow tasks that a workflow can be reset to: the ids of their WorkflowTaskCompleted events. */
export async function workflowTasks(client: Client, workflowId: string, runId?: string): Promise<number[]> {
  const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  return (events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes).map((event) => Number(event.eventId));
}

/**
 * Resets a workflow, open or closed, to one of its workflow tasks. The new execution loads its row: nothing that is committed is repeated.
 * Returns the new execution's run id.
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
