/** How every run is started: always USE_EXISTING with ALLOW_DUPLICATE, so that a terminated or lost run heals. */
import { TypedSearchAttributes } from '@temporalio/common';
import { entityStatus, nextDeadline, orderNo, storeId } from './attributes.ts';
import type { WorkflowType, RunRef } from './messages.ts';
import { DELIVERIES_QUEUE, RUNS_QUEUE, YIELDING_QUEUE } from './queues.ts';

/** What names a run to Temporal. */
export interface RunName<T extends WorkflowType = WorkflowType> {
  readonly storeId: string;
  readonly workflowType: T;
  readonly workflowId: string;
  readonly entityId: string;
  readonly orderNo: string | null;
  /** What operators see before the run has said anything itself. */
  readonly status?: string | null;
  readonly wakeAt?: number | null;
  /** Business time at which it first has something to do; only when it is opened. */
  readonly firstAt?: number | null;
  /** Whether others of its kind go first. */
  readonly yields?: boolean;
}

/**
 * Whose tasks go first when there are more than the workers can do at once: somebody waits at a payment; a seller or a courier at an order
 * item; nobody at a webhook, and least of all at what a deletion or a suspension leaves behind.
 */
const PRIORITY: Readonly<Record<WorkflowType, number>> = {
  payment: 1,
  orderItem: 2,
  invitation: 3,
  webhookDelivery: 4,
  webhookSubscription: 5,
};

function queueOf({ workflowType: kind, yields }: RunName): string {
  if (kind !== 'webhookDelivery') return RUNS_QUEUE;
  return yields ? YIELDING_QUEUE : DELIVERIES_QUEUE;
}

/** Options of a start or signal-with-start. The summary is what an operator reads in the list of workflows. */
export function startOptions(run: RunName) {
  const first = run.firstAt === undefined || run.firstAt === null ? {} : { firstAt: run.firstAt };
  const args: [RunRef] = [{ storeId: run.storeId, entityId: run.entityId, ...first }];
  return {
    workflowId: run.workflowId,
    taskQueue: queueOf(run),
    args,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    priority: { priorityKey: PRIORITY[run.workflowType], fairnessKey: run.storeId.slice(0, 64) },
    staticSummary: run.orderNo ? `${run.workflowType} of order ${run.orderNo}` : run.workflowType,
    typedSearchAttributes: new TypedSearchAttributes([
      { key: storeId, value: run.storeId },
      ...(run.orderNo ? [{ key: orderNo, value: run.orderNo }] : []),
      ...(run.status ? [{ key: entityStatus, value: run.status }] : []),
      ...(run.wakeAt ? [{ key: nextDeadline, value: new Date(run.wakeAt) }] : []),
    ]),
  } as const;
}
