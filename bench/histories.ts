/** What runs cost Temporal: events and workflow tasks of the newest runs, by workflow type and status. */
import { Client, Connection } from '@temporalio/client';

export interface HistoryCost {
  readonly workflowType: string;
  readonly status: string;
  /** Medians. */
  readonly events: number;
  readonly tasks: number;
  readonly runs: number;
}
/** temporal.api.enums.v1.EventType */
const WORKFLOW_TASK_COMPLETED = 7;
const RUNS = 20;

export async function historyCosts(address: string): Promise<HistoryCost[]> {
  const connection = await Connection.connect({ address });
  const { workflow } = new Client({ connection });
  const found = new Map<string, { events: number; tasks: number }[]>();
  for (const type of ['payment', 'orderItem', 'webhookDelivery'])
    for (const status of ['COMPLETED', 'PAID', 'CONFIRMED', 'SUCCESS']) {
      const key = `${type} ${status}`;
      for await (const { workflowId, runId } of workflow.list({ query: `WorkflowType = '${type}' AND EntityStatus = '${status}'` })) {
        const { events = [] } = await workflow.getHandle(workflowId, runId).fetchHistory();
        const tasks = events!.filter(({ eventType }) => Number(eventType) === WORKFLOW_TASK_COMPLETED).length;
        const known = found.get(key) ?? [];
        found.set(key, [...known, { events: events!.length, tasks }]);
        if (known.length + 1 === RUNS) break;
      }
    }
  await connection.close();
  return [...found].map(([key, runs]) => {
    const [workflowType = '', status = ''] = key.split(' ');
    return {
      workflowType,
      status,
      events: median(runs.map((run) => run.events)),
      tasks: median(runs.map((run) => run.tasks)),
      runs: runs.length,
    };
  });
}

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
