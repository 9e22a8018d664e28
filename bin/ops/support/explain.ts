/** What a run waits for and why, in plain words. */
import { type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { korean } from '../../../domain/kernel/time.ts';
import { FOREIGN_PAYMENT, UNRESOLVED } from '../../../domain/payments/rules.ts';
import { isDone, type RunRow, type Support } from './context.ts';

export interface Explanation {
  readonly workflowId: string;
  readonly storeCode: string;
  readonly status: string;
  readonly wakeAt: string | null;
  /** The sentences of the answer. */
  readonly words: readonly string[];
}

export async function explain(support: Support, run: RunRow): Promise<Explanation> {
  const seen = await describe(support, run.workflow_id);
  const words = [
    ...(await stateOf(support, run)),
    ...(isDone(run) ? [doneSince(run)] : [...waiting(run), ...inTemporal(run, seen)]),
    ...(await refundsOf(support, run)),
  ];
  const wakeAt = run.wake_at ? korean(run.wake_at.getTime()) : null;
  return { workflowId: run.workflow_id, storeCode: run.store_code, status: seen?.status.name ?? 'NOT_THERE', wakeAt, words };
}

async function describe({ temporal }: Support, workflowId: string): Promise<WorkflowExecutionDescription | null> {
  try {
    return await temporal.workflow.getHandle(workflowId).describe();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

/** What the row says. */
async function stateOf({ rows }: Support, { workflow_type: kind, entity_id: id, store_id: store }: RunRow): Promise<string[]> {
  if (kind === 'orderItem') {
    const [item] = await rows<{ status: string; quantity: number; canceled_quantity: number; order_item_no: string }>(
      'SELECT status, quantity, canceled_quantity, order_item_no FROM order_item WHERE store_id = $1 AND order_item_id = $2',
      [store, id],
    );
    return item ? [`Order item ${item.order_item_no} is ${item.status}, ${item.canceled_quantity} of ${item.quantity} canceled.`] : [];
  }
  if (kind === 'payment') {
    const [payment] = await rows<{
      status: string;
      result: string;
      total_won: number;
      expires_at: Date;
      call: { name: string; dueAt: number } | null;
    }>('SELECT status, result, total_won, expires_at, call FROM payment WHERE store_id = $1 AND payment_id = $2', [store, id]);
    if (!payment) return [];
    const { status, result, total_won: won, call } = payment;
    return [
      `The payment of ${won} won is ${status} (${result}).`,
      ...(status === 'pending' ? [`The buyer may pay until ${korean(payment.expires_at.getTime())}.`] : []),
      ...(call ? [`Next it asks the provider: ${call.name}, at ${korean(call.dueAt)}.`] : []),
      ...(await attemptsOf(rows, store, id)),
    ];
  }
  if (kind === 'webhookSubscription') {
    const [webhook] = await rows<{ status: string; suspended_at: Date | null; deleted_at: Date | null }>(
      'SELECT status, suspended_at, deleted_at FROM webhook WHERE store_id = $1 AND webhook_id = $2',
      [store, id],
    );
    if (!webhook) return ['The webhook was deleted, and all its deliveries.'];
    if (webhook.deleted_at)
      return [`The webhook was deleted at ${korean(webhook.deleted_at.getTime())}; its deliveries go a portion at a time.`];
    const since = webhook.suspended_at ? ` since ${korean(webhook.suspended_at.getTime())}` : '';
    return [`The webhook is ${webhook.status}${since}; what waited when it was suspended is ended a portion at a time.`];
  }
  const [delivery] = await rows<{ status: string; attempt_count: number; error_code: string | null; event_type: string; url: string }>(
    'SELECT status, attempt_count, error_code, event_type, url FROM webhook_delivery WHERE store_id = $1 AND delivery_id = $2',
    [store, id],
  );
  if (!delivery) return [];
  const why = delivery.error_code ? `; the last attempt ended with ${delivery.error_code}` : '';
  return [`${delivery.event_type} to ${delivery.url} is ${delivery.status} after ${delivery.attempt_count} of 5 attempts${why}.`];
}

/** The attempts of a payment that an operator has to look after. */
async function attemptsOf(rows: Support['rows'], store: string, id: string): Promise<string[]> {
  const attempts = await rows<{ pg_order_id: string; unknown_since: Date | null }>(
    `SELECT pg_order_id, unknown_since FROM payment_attempt
     WHERE store_id = $1 AND payment_id = $2 AND status = 'UNRESOLVED' ORDER BY seq`,
    [store, id],
  );
  return attempts.map(
    (attempt) =>
      `Whether ${attempt.pg_order_id} was charged could not be learnt since ${korean(attempt.unknown_since?.getTime() ?? 0)}: ` +
      `\`npm run support -- retry ${id}\` looks once more and voids what was.`,
  );
}

const doneSince = ({ done_at: doneAt }: RunRow): string =>
  doneAt ? `Its run is done since ${korean(doneAt.getTime())}.` : 'Its run was done so long ago that its line is gone.';

function waiting({ wake_at: wakeAt, loaded_at: loadedAt, wakes }: RunRow): string[] {
  return [
    wakeAt ? `It acts by itself at ${korean(wakeAt.getTime())} of the store's clock.` : 'It waits for the seller or buyer; nothing is due.',
    ...(loadedAt ? [] : ['Temporal has not loaded it yet: the relay or the reconciler starts it.']),
    ...(wakes > 0 ? [`The reconciler has woken it ${wakes} times.`] : []),
  ];
}

function inTemporal({ workflow_id: id }: RunRow, seen: WorkflowExecutionDescription | null): string[] {
  if (!seen) return ['Temporal does not know it: the reconciler brings it back within a minute, `retry` at once.'];
  if (seen.status.name !== 'RUNNING')
    return [`Its last workflow is ${seen.status.name}: \`npm run support -- retry ${id}\` starts it anew.`];
  return (seen.raw.pendingActivities ?? []).map(({ activityType, attempt, lastFailure }) => {
    const failure = lastFailure?.message ? `: ${lastFailure.message}` : '';
    return (attempt ?? 1) > 1
      ? `${activityType?.name} is being tried for the ${attempt}th time${failure}.`
      : `${activityType?.name} is under way.`;
  });
}

async function refundsOf({ rows }: Support, run: RunRow): Promise<string[]> {
  if (run.workflow_type !== 'payment') return [];
  const refunds = await rows<{ refund_id: string; amount_won: number; status: string; failure_code: string | null }>(
    'SELECT refund_id, amount_won, status, failure_code FROM refund WHERE store_id = $1 AND payment_id = $2 ORDER BY created_at',
    [run.store_id, run.entity_id],
  );
  return refunds.map(({ refund_id: id, amount_won: won, status, failure_code: code }) => {
    if (code === UNRESOLVED)
      return `Whether refund ${id} of ${won} won was paid could not be learnt: \`npm run support -- retry ${id}\` looks for it, and asks only when it is not there.`;
    if (code === FOREIGN_PAYMENT)
      return `Refund ${id} of ${won} won was not asked for: the payment at the provider is not this one. Compare the provider's books; \`npm run support -- retry ${id}\` looks again.`;
    if (status === 'FAILED') return `Refund ${id} of ${won} won was refused by the provider (${code}): \`npm run support -- retry ${id}\`.`;
    if (status === 'HELD') return `Refund ${id} of ${won} won is held until the seller lets it go.`;
    return `Refund ${id} of ${won} won is ${status}.`;
  });
}
