/** How every run is started: always USE_EXISTING with ALLOW_DUPLICATE, so that a terminated or lost run heals. */
import { TypedSearchAttributes } from '@temporalio/common';
import { entityStatus, nextDeadline, orderNo, storeId } from './attributes.ts';
import type { RunKind, RunRef } from './obligations.ts';
import { RUNS_QUEUE } from './queues.ts';

/** What names a run to Temporal. */
export interface RunName {
  readonly storeId: string;
  readonly kind: RunKind;
  readonly workflowId: string;
  readonly runId: string;
  readonly orderNo: string | null;
  /** What operators see before the run has said anything itself. */
  readonly status?: string | null;
  readonly wakeAt?: number | null;
  /** Business time at which it first owes something; only at its birth. */
  readonly firstAt?: number | null;
}

/** Options of a start or signal-with-start. The summary is what an operator reads in the list of workflows. */
export function startOptions(run: RunName) {
  const born = run.firstAt === undefined || run.firstAt === null ? {} : { firstAt: run.firstAt };
  const args: [RunRef] = [{ storeId: run.storeId, runId: run.runId, ...born }];
  return {
    workflowId: run.workflowId,
    taskQueue: RUNS_QUEUE,
    args,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    staticSummary: run.orderNo ? `${run.kind} of order ${run.orderNo}` : run.kind,
    typedSearchAttributes: new TypedSearchAttributes([
      { key: storeId, value: run.storeId },
      ...(run.orderNo ? [{ key: orderNo, value: run.orderNo }] : []),
      ...(run.status ? [{ key: entityStatus, value: run.status }] : []),
      ...(run.wakeAt ? [{ key: nextDeadline, value: new Date(run.wakeAt) }] : []),
    ]),
  } as const;
}
