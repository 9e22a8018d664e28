/** Retries now: a FAILED refund, an activity that waits for its next attempt, a run without a workflow. */
import type { MikroORM } from '@mikro-orm/postgresql';
import { withOrm } from '../../../db/orm.ts';
import { inTenant, REQUEST, tenancyOf, type Tx } from '../../../db/kernel/tx.ts';
import { retryRefund, reviewPayment } from '../../../db/payments/refunds.ts';
import { runOfRow } from '../../../db/runs/rows.ts';
import { wakeOptions } from '../../../workflows/kernel/start.ts';
import { UNRESOLVED } from '../../../domain/payments/rules.ts';
import { UserError } from '../../kernel/cli.ts';
import { isDone, type RunRow, type Support } from './context.ts';
import { find } from './find.ts';

/** Returns a sentence that says what was done. */
export async function retry(support: Support, id: string): Promise<{ done: string }> {
  const [refund] = await support.sql<{ store_id: string; clock_offset_ms: string; status: string }>`
    SELECT r.store_id, r.status, s.clock_offset_ms FROM refund r JOIN store s USING (store_id) WHERE refund_id = ${id}`;
  if (refund) return refundAgain(support, id, refund);
  const [run] = await find(support, id);
  if (!run) throw new UserError(`Nothing is known by ${id}.`);
  if (run.workflow_type === 'payment' && isDone(run) && (await rereadUnresolved(support, run)))
    return { done: `${run.workflow_id} looks once more what became of it at the provider.` };
  if (isDone(run)) throw new UserError(`${run.workflow_id} is done: nothing is left to retry. A reset would repeat nothing either.`);
  await support.temporal.workflow.signalWithStart(run.workflow_type, wakeOptions(runOfRow(run)));
  const { raw } = await support.temporal.workflow.getHandle(run.workflow_id).describe();
  const waiting = (raw.pendingActivities ?? []).filter(({ attempt }) => (attempt ?? 1) > 1);
  for (const { activityId } of waiting)
    await support.temporal.workflowService.resetActivity({
      namespace: support.temporal.options.namespace,
      execution: { workflowId: run.workflow_id },
      id: activityId ?? '',
    });
  const calls = waiting.length > 0 ? `, and ${waiting.length} waiting call is made now` : '';
  return { done: `${run.workflow_id} was told to look again${calls}.` };
}

/** Reads the UNRESOLVED attempts of a payment at the provider again; false when there are none. */
async function rereadUnresolved(support: Support, { store_id: storeId, entity_id: paymentId }: RunRow): Promise<boolean> {
  const [store] = await support.sql<{ clock_offset_ms: string }>`SELECT clock_offset_ms FROM store WHERE store_id = ${storeId}`;
  return asApp(support, storeId, Number(store!.clock_offset_ms), (tx) => reviewPayment(tx, paymentId));
}

function asApp<T>({ databaseUrl }: Support, storeId: string, offsetMs: number, work: (tx: Tx) => Promise<T>): Promise<T> {
  const transact = (orm: MikroORM) => inTenant(orm, tenancyOf(storeId, offsetMs, Date.now()), REQUEST, work);
  return withOrm(databaseUrl, 1, transact, 'sangjeom_app');
}

async function refundAgain(
  support: Support,
  refundId: string,
  { store_id: storeId, status, clock_offset_ms: offset }: { store_id: string; status: string; clock_offset_ms: string },
): Promise<{ done: string }> {
  if (status !== 'FAILED') throw new UserError(`Refund ${refundId} is ${status}: only a FAILED one is run again.`);
  const { failureCode } = await asApp(support, storeId, Number(offset), (tx) => retryRefund(tx, refundId));
  return {
    done:
      failureCode === UNRESOLVED
        ? `Refund ${refundId} is looked for, and asked for again only when it is not there.`
        : `Refund ${refundId} is asked for again, under a new key.`,
  };
}
