/** Options of every start: always USE_EXISTING with ALLOW_DUPLICATE, so that a start recreates a terminated or lost run. */
import { TypedSearchAttributes } from '@temporalio/common';
import { entityStatus, nextDeadline, orderNo, storeId } from './attributes.ts';
import { type RunIds, type RunRef, WAKE_SIGNAL, WORKFLOWS, type WorkflowType } from './messages.ts';
import { DELIVERIES_QUEUE, YIELDING_QUEUE } from './queues.ts';

/** What a run is started with in Temporal. */
export interface RunName<T extends WorkflowType = WorkflowType> extends RunIds<T> {
  /** Initial search attributes, until the first transition. */
  readonly status?: string | null;
  readonly wakeAt?: number | null;
  /** Business time of its first plan; only when the run is opened. */
  readonly firstAt?: number | null;
  /** A delivery to a receiver that fails: it runs on the yielding task queue. */
  readonly yields?: boolean;
}

function queueOf({ workflowType, yields }: RunName): string {
  const { queue } = WORKFLOWS[workflowType];
  return queue === DELIVERIES_QUEUE && yields ? YIELDING_QUEUE : queue;
}

/** The first attempt at a receiver that answers: one task of its run does it all. One that fails may hang, and would hold the task up. */
const briefOf = ({ workflowType, yields }: RunName): { readonly isBrief?: true } =>
  workflowType === 'webhookDelivery' && !yields ? { isBrief: true } : {};

/** Options of a start or signal-with-start. Operators read the summary in the list of workflows. */
export function startOptions(run: RunName) {
  const first = run.firstAt === undefined || run.firstAt === null ? {} : { firstAt: run.firstAt, ...briefOf(run) };
  const args: [RunRef] = [{ storeId: run.storeId, entityId: run.entityId, ...first }];
  return {
    workflowId: run.workflowId,
    taskQueue: queueOf(run),
    args,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    priority: { priorityKey: WORKFLOWS[run.workflowType].priority, fairnessKey: run.storeId.slice(0, 64) },
    staticSummary: run.orderNo ? `${run.workflowType} of order ${run.orderNo}` : run.workflowType,
    typedSearchAttributes: new TypedSearchAttributes([
      { key: storeId, value: run.storeId },
      ...(run.orderNo ? [{ key: orderNo, value: run.orderNo }] : []),
      ...(run.status ? [{ key: entityStatus, value: run.status }] : []),
      ...(run.wakeAt ? [{ key: nextDeadline, value: new Date(run.wakeAt) }] : []),
    ]),
  } as const;
}

/** Options of a signal-with-start that wakes a run, and starts its workflow if it does not run. */
export const wakeOptions = (run: RunName) => ({ ...startOptions(run), signal: WAKE_SIGNAL }) as const;

/** After it the run loads its row without a command. */
const IDLE_DELAY = '30 days';

/**
 * Options of a start of a run without a timer, which waits for a person: its first task comes with the first command, wake or clock signal
 * (update-with-start and signal-with-start end the delay), so that until then it costs Temporal one event. The static details say so to
 * operators, because it has no current ones.
 */
export const idleOptions = (run: RunName) =>
  ({
    ...startOptions(run),
    startDelay: IDLE_DELAY,
    staticDetails: `Started as ${run.status ?? ''}, to wait for its seller or buyer: until their first command it has no other details.`,
  }) as const;
