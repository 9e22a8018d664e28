/** Attempts of a payment: which provider takes them, what they are superseded by (docs/contract.md#payments). */
import { LockMode } from '@mikro-orm/core';
import { Fault } from '../../domain/kernel/errors.ts';
import { chooseOption, isCircuitDue, type Option } from '../../domain/paymentSettings/routing.ts';
import { isReturnAllowed } from '../../domain/paymentSettings/rules.ts';
import type { ProviderName } from '../../domain/payments/providers.ts';
import { pgOrderId } from '../../domain/payments/rules.ts';
import { newId } from '../kernel/clock.ts';
import type { Tx } from '../kernel/tx.ts';
import { enqueueWake } from '../runs/commands.ts';
import { readSettings, type Settings } from '../paymentSettings/queries.ts';
import { type Payment, type PaymentAttempt, PaymentAttemptEntity, PaymentEntity } from './entities.ts';
import { paymentRun, type Started } from './queries.ts';

export interface PaymentRetry {
  readonly paymentId: string;
  readonly option: Option;
  /** Null: the payment's current one. */
  readonly returnUrl: string | null;
}

/** A new attempt of a payment (POST …/attempts), with any provider; the payment's expiry and environment stay. */
export async function retryPayment(tx: Tx, { paymentId, option, returnUrl }: PaymentRetry): Promise<Started> {
  const payment = await lockOpen(tx, paymentId);
  const settings = await readSettings(tx, payment.environment);
  if (returnUrl !== null) checkReturn(settings, returnUrl);
  return supersede(tx, payment, choose(settings, option), returnUrl ?? payment.returnUrl);
}

/**
 * The next attempt after a provider's window refused the way to pay before the buyer could (Y16): with AUTO_FAILOVER at the next provider
 * that was not tried in this payment. Null: there is none, or another attempt is under way.
 */
export async function failOver(tx: Tx, paymentId: string, attemptId: string): Promise<Started | null> {
  const { em, storeId } = tx;
  const payment = await lockOpen(tx, paymentId);
  if (payment.currentAttemptId !== attemptId) return null;
  const settings = await readSettings(tx, payment.environment);
  if (settings.routing !== 'AUTO_FAILOVER') return null;
  const attempts = await em.find(PaymentAttemptEntity, { storeId, paymentId });
  const failed = attempts.find((one) => one.attemptId === attemptId);
  if (!failed?.failure?.optionUnavailable) return null;
  const option = { pg: failed.pg, method: failed.method, provider: failed.provider ?? null } as Option;
  const tried = attempts.filter((one) => one.method === failed.method && one.provider === failed.provider).map(({ pg }) => pg);
  const choice = chooseOption(settings, option, tried);
  return 'refusal' in choice ? null : supersede(tx, payment, afterTrial(settings, choice), failed.returnUrl);
}

async function lockOpen({ em, storeId, at }: Tx, paymentId: string): Promise<Payment> {
  const payment = await em.findOne(PaymentEntity, { storeId, paymentId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!payment) throw new Fault('PAYMENT_NOT_FOUND');
  if (payment.status === 'processing') throw new Fault('PAYMENT_IN_PROGRESS');
  if (payment.status === 'completed') throw new Fault('ALREADY_PAID');
  if (payment.status !== 'pending' || at >= payment.expiresAt.getTime()) throw new Fault('PAYMENT_EXPIRED');
  return payment;
}

/** RETURN_URL_NOT_ALLOWED outside the store's payment domains. */
export function checkReturn({ environment, paymentDomains }: Settings, returnUrl: string): void {
  if (!isReturnAllowed(returnUrl, environment, paymentDomains)) throw new Fault('RETURN_URL_NOT_ALLOWED');
}

export interface Chosen {
  readonly option: Option;
  readonly credentialId: string;
}
/** A circuit's time is over: its provider has to be read before a payment is started with it. */
export class CircuitDue extends Error {
  readonly circuit: { readonly provider: ProviderName; readonly environment: Settings['environment'] };
  constructor(circuit: CircuitDue['circuit']) {
    super('the circuit may be tried again');
    this.circuit = circuit;
  }
}
/** PAYMENT_PROVIDER_UNAVAILABLE with the real time of the next try. */
export class ProviderUnavailable extends Fault {
  readonly retryAfterMs: number;
  constructor(retryAfterMs: number) {
    super('PAYMENT_PROVIDER_UNAVAILABLE');
    this.retryAfterMs = retryAfterMs;
  }
}

/** The provider and credential set of a new attempt. */
export function choose(settings: Settings, option: Option): Chosen {
  const choice = chooseOption(settings, option);
  if ('refusal' in choice) {
    if (choice.refusal === 'PAYMENT_PROVIDER_UNAVAILABLE') throw new ProviderUnavailable(choice.retryAfterMs);
    throw new Fault(choice.refusal);
  }
  return afterTrial(settings, choice);
}

/** CircuitDue while the circuit of the chosen provider has to be tried. */
function afterTrial({ providers, realNow, environment }: Settings, chosen: Chosen): Chosen {
  const { provider, openUntil } = providers.find((one) => one.provider === chosen.option.pg)!;
  if (isCircuitDue({ openUntil }, realNow)) throw new CircuitDue({ provider, environment });
  return chosen;
}

export async function supersede(tx: Tx, payment: Payment, chosen: Chosen, returnUrl: string): Promise<Started> {
  await endOpenAttempts(tx, payment.paymentId, 'SUPERSEDED');
  if (await hasUnread(tx, payment.paymentId)) enqueueWake(tx, paymentRun(payment));
  payment.result = 'PENDING';
  return { payment, attempt: newAttempt(tx, payment, chosen, returnUrl) };
}

/** A PortOne channel may approve by itself: an attempt that nobody came back from is read when it has ended (Y25). */
export async function endOpenAttempts({ sql, storeId, at }: Tx, paymentId: string, status: 'SUPERSEDED' | 'EXPIRED'): Promise<void> {
  await sql`UPDATE payment_attempt SET status = ${status}, ended_at = ${new Date(at)}, payment_token = NULL,
      is_unknown = is_unknown OR pg = 'portone'
    WHERE store_id = ${storeId} AND payment_id = ${paymentId} AND status = 'OPEN'`;
}

/** Whether an attempt has ended, superseded or given up, that may have been paid without us and was not read yet. */
async function hasUnread({ sql, storeId }: Tx, paymentId: string): Promise<boolean> {
  const [row] = await sql<{ unread: boolean }>`SELECT EXISTS (SELECT 1 FROM payment_attempt WHERE store_id = ${storeId}
    AND payment_id = ${paymentId} AND is_unknown AND confirmed_at IS NULL AND readings = 0 AND ended_at IS NOT NULL) AS unread`;
  return row!.unread;
}

export function newAttempt({ em, at }: Tx, payment: Payment, { option, credentialId }: Chosen, returnUrl: string): PaymentAttempt {
  const { storeId, paymentId, orderNo: number, totalWon, environment } = payment;
  const seq = payment.attemptCount + 1;
  const attempt = em.create(PaymentAttemptEntity, {
    storeId,
    paymentId,
    seq,
    returnUrl,
    attemptId: newId('att', at),
    pg: option.pg,
    method: option.method,
    provider: option.provider,
    environment,
    credentialId,
    pgOrderId: pgOrderId(number, seq),
    amountWon: totalWon,
    status: 'OPEN',
    isUnknown: false,
    readings: 0,
    startedAt: new Date(at),
  });
  em.persist(attempt);
  payment.attemptCount = seq;
  payment.currentAttemptId = attempt.attemptId;
  return attempt;
}
