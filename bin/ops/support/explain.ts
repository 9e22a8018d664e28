/** What a run waits for and why, as sentences. */
import type { Sql } from '../../../db/kernel/sql.ts';
import { type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { korean, koreanOf } from '../../../domain/kernel/time.ts';
import { FOREIGN_PAYMENT, UNRESOLVED } from '../../../domain/payments/rules.ts';
import type { WorkflowType } from '../../../workflows/kernel/messages.ts';
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
    ...(await ROWS[run.workflow_type]({ sql: support.sql, store: run.store_id, id: run.entity_id })),
    ...(isDone(run) ? [doneSince(run)] : [...waiting(run), ...(await slowed(support.sql, run)), ...inTemporal(run, seen)]),
  ];
  const wakeAt = koreanOf(run.wake_at);
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

/** The identity of the row that a run owns, and the function to query it. */
interface Row {
  readonly sql: Sql;
  readonly store: string;
  readonly id: string;
}

/** The state of the row that a run owns, by workflow type; no sentence when the row is gone. */
const ROWS: Readonly<Record<WorkflowType, (row: Row) => Promise<string[]>>> = {
  async orderItem({ sql, store, id }) {
    const [item] = await sql<{ status: string; quantity: number; canceled_quantity: number; order_item_no: string }>`
      SELECT status, quantity, canceled_quantity, order_item_no FROM order_item WHERE store_id = ${store} AND order_item_id = ${id}`;
    return item ? [`Order item ${item.order_item_no} is ${item.status}, ${item.canceled_quantity} of ${item.quantity} canceled.`] : [];
  },

  async orderGroup({ sql, store, id }) {
    const items = await sql<{ order_item_no: string; status: string; flow_key: string; flow_version: number }>`
      SELECT order_item_no, status, flow_key, flow_version FROM order_item WHERE store_id = ${store} AND group_id = ${id}
        ORDER BY position`;
    const [first] = items;
    if (!first) return [];
    const each = items.map(({ order_item_no: number, status }) => `${number} is ${status}`).join(', ');
    return [`The items of the order in flow ${first.flow_key}@${first.flow_version} move together: ${each}.`];
  },

  async claim({ sql, store, id }) {
    const [claim] = await sql<{
      claim_no: string;
      type: string;
      status: string;
      quantity: number;
      order_item_id: string;
      hold_until: Date | null;
      amounts: { readonly refundAmount: number; readonly refundId: string | null } | null;
    }>`SELECT claim_no, type, status, quantity, order_item_id, hold_until, amounts FROM claim WHERE store_id = ${store}
      AND claim_id = ${id}`;
    if (!claim) return [];
    const { claim_no: number, type, status, quantity, order_item_id: item, hold_until: until, amounts } = claim;
    const end = until ? ` until ${koreanOf(until)}` : '';
    const lines = [`Claim ${number}, ${type} of ${quantity} of order item ${item}, is ${status}${end}.`];
    if (!amounts) return lines;
    const refund = amounts.refundId ? ` by refund ${amounts.refundId}` : '';
    return [...lines, `It gave ${amounts.refundAmount} won back${refund}.`];
  },

  async payment(row) {
    const { sql, store, id } = row;
    const [payment] = await sql<{
      status: string;
      result: string;
      total_won: number;
      expires_at: Date;
      call: { name: string; dueAt: number } | null;
    }>`SELECT status, result, total_won, expires_at, call FROM payment WHERE store_id = ${store} AND payment_id = ${id}`;
    if (!payment) return [];
    const { status, result, total_won: won, call } = payment;
    return [
      `The payment of ${won} won is ${status} (${result}).`,
      ...(status === 'pending' ? [`The buyer may pay until ${koreanOf(payment.expires_at)}.`] : []),
      ...(call ? [`Next it asks the provider: ${call.name}, at ${korean(call.dueAt)}.`] : []),
      ...(await attemptsOf(row)),
      ...(await refundsOf(row)),
    ];
  },

  async webhookDelivery({ sql, store, id }) {
    const [delivery] = await sql<{ status: string; attempt_count: number; error_code: string | null; event_type: string; url: string }>`
      SELECT status, attempt_count, error_code, event_type, url FROM webhook_delivery WHERE store_id = ${store} AND delivery_id = ${id}`;
    if (!delivery) return [];
    const why = delivery.error_code ? `; the last attempt ended with ${delivery.error_code}` : '';
    return [`${delivery.event_type} to ${delivery.url} is ${delivery.status} after ${delivery.attempt_count} of 5 attempts${why}.`];
  },

  async webhookSubscription({ sql, store, id }) {
    const [webhook] = await sql<{ status: string; suspended_at: Date | null; deleted_at: Date | null }>`
      SELECT status, suspended_at, deleted_at FROM webhook WHERE store_id = ${store} AND webhook_id = ${id}`;
    if (!webhook) return ['The webhook was deleted, and all its deliveries.'];
    if (webhook.deleted_at) return [`The webhook was deleted at ${koreanOf(webhook.deleted_at)}; its deliveries go a portion at a time.`];
    const since = webhook.suspended_at ? ` since ${koreanOf(webhook.suspended_at)}` : '';
    return [`The webhook is ${webhook.status}${since}; what waited when it was suspended is ended a portion at a time.`];
  },

  async invitation({ sql, store, id }) {
    const [invitation] = await sql<{
      status: string;
      role: string;
      send_no: number;
      send_attempts: number;
      delivery_status: string | null;
      delivery_error_code: string | null;
      expires_at: Date;
    }>`SELECT status, role, send_no, send_attempts, delivery_status, delivery_error_code, expires_at FROM invitation
       WHERE store_id = ${store} AND invitation_id = ${id}`;
    if (!invitation) return [];
    const { status, role, send_no: sendNo, send_attempts: tries, delivery_status: mail, delivery_error_code: code } = invitation;
    const error = code ? ` (${code})` : '';
    return [
      `The invitation as ${role} is ${status}; its link works until ${koreanOf(invitation.expires_at)}.`,
      `Mail ${sendNo} is ${mail ?? 'not sent yet'} after ${tries} of 4 tries${error}.`,
    ];
  },

  async approval({ sql, store, id }) {
    const [approval] = await sql<{
      status: string;
      operation_id: string;
      expires_at: Date;
      attempts: number;
      next_attempt_at: Date | null;
      result_status: number | null;
      result_code: string | null;
    }>`SELECT status, operation_id, expires_at, attempts, next_attempt_at, result_status, result_code FROM approval_request
       WHERE store_id = ${store} AND approval_id = ${id}`;
    if (!approval) return [];
    const { status, operation_id: operation, attempts, next_attempt_at: next, result_status: result, result_code: code } = approval;
    return [
      `The request for ${operation} is ${status}; a person may decide until ${koreanOf(approval.expires_at)}.`,
      ...(result === null ? [] : [`It was carried out: ${result} ${code}.`]),
      ...(next ? [`Its outcome is not known after ${attempts} tries; the next is at ${koreanOf(next)}. It happens once at most.`] : []),
    ];
  },

  async approvalNotice({ sql, store }) {
    const [notice] = await sql<{ last_at: Date | null; round: number }>`
      SELECT last_at, round FROM approval_notice WHERE store_id = ${store}`;
    if (!notice) return [];
    return [
      notice.last_at
        ? `Mail ${notice.round} about approval requests went out at ${koreanOf(notice.last_at)}.`
        : 'No mail about approval requests went out yet.',
    ];
  },
};

const messageSentence = (message: string | null): string => (message === null ? '' : ` The provider said: "${message}"`);

/** The attempts that failed with a message of the provider, and those whose outcome is unresolved. */
async function attemptsOf({ sql, store, id }: Row): Promise<string[]> {
  const attempts = await sql<{
    pg_order_id: string;
    status: string;
    code: string | null;
    provider_message: string | null;
    unknown_since: Date | null;
  }>`SELECT pg_order_id, status, failure ->> 'code' AS code, provider_message, unknown_since FROM payment_attempt
     WHERE store_id = ${store} AND payment_id = ${id} AND (status = 'UNRESOLVED' OR status = 'DECLINED' AND provider_message IS NOT NULL)
       ORDER BY seq`;
  return attempts.map((attempt) =>
    attempt.status === 'DECLINED'
      ? `Attempt ${attempt.pg_order_id} failed (${attempt.code}).${messageSentence(attempt.provider_message)}`
      : `Whether ${attempt.pg_order_id} was charged could not be learnt since ${korean(attempt.unknown_since?.getTime() ?? 0)}: ` +
        `\`npm run support -- retry ${id}\` looks once more and voids what was.`,
  );
}

async function refundsOf({ sql, store, id: paymentId }: Row): Promise<string[]> {
  const refunds = await sql<{
    refund_id: string;
    amount_won: number;
    status: string;
    failure_code: string | null;
    provider_message: string | null;
  }>`SELECT refund_id, amount_won, status, failure_code, provider_message FROM refund
     WHERE store_id = ${store} AND payment_id = ${paymentId} ORDER BY created_at`;
  return refunds.map(({ refund_id: id, amount_won: won, status, failure_code: code, provider_message: message }) => {
    const [refund, retry] = [`Refund ${id} of ${won} won`, `\`npm run support -- retry ${id}\``];
    if (code === UNRESOLVED)
      return `Whether refund ${id} of ${won} won was paid is unknown: ${retry} looks for it, and requests it again only when it is not there.`;
    if (code === FOREIGN_PAYMENT)
      return `${refund} was not requested: the payment at the provider is not this one. Compare its books; ${retry} looks again.`;
    if (status === 'FAILED') return `${refund} was refused by the provider (${code}): ${retry}.${messageSentence(message)}`;
    if (status === 'HELD') return `${refund} is held until the seller lets it go.`;
    return `${refund} is ${status}.`;
  });
}

function doneSince({ done_at: doneAt, workflow_type: type }: RunRow): string {
  if (doneAt) return `Its run is done since ${koreanOf(doneAt)}.`;
  return `${AT_ONCE[type] ?? 'Its'} run was done so long ago that its line is gone.`;
}
/** How a row may have ended without a run. */
const AT_ONCE: Readonly<Partial<Record<string, string>>> = {
  claim: 'It was completed when it was filed, or its',
  payment: 'Points paid for all of it at once, or its',
};

function waiting({ wake_at: wakeAt, loaded_at: loadedAt, wakes }: RunRow): string[] {
  return [
    wakeAt ? `It acts by itself at ${koreanOf(wakeAt)} of the store's clock.` : 'It waits for the seller or buyer; nothing is due.',
    ...(loadedAt ? [] : ['Temporal has not loaded it yet: the relay or the reconciler starts it.']),
    ...(wakes > 0 ? [`The reconciler has woken it ${wakes} times.`] : []),
  ];
}

/** A flow that has moved too often by itself goes on when there is room (F44). */
async function slowed(sql: Sql, { workflow_type: type, store_id: store, entity_id: id, wake_at: wakeAt }: RunRow): Promise<string[]> {
  if (type !== 'orderItem' && type !== 'orderGroup') return [];
  const [row] = await sql<{ until: string | null }>`SELECT flow_slowed_until(${store}, ${id}) AS until`;
  if (!row?.until || Number(row.until) !== wakeAt?.getTime()) return [];
  return ['It is slowed until then: by itself a flow moves at most 30 times in ten minutes and 500 times in a day.'];
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
