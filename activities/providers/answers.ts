/** What adapters of payment providers share: an outcome is a success, a definite failure or unknown (docs/contract.md#outcomes). */
import { providerMessage } from '../../domain/payments/failures.ts';
import type { ProviderOutcome } from '../../domain/payments/messages.ts';
import type { Environment } from '../../domain/payments/providers.ts';

/** An attempt, as a provider is called about it. */
export interface ProviderCharge {
  readonly attemptId: string;
  readonly pgOrderId: string;
  /** Toss' payment key; the txId of PortOne, null where the buyer has not come back. */
  readonly paymentKey: string | null;
  /** Of PortOne: what the buyer's authentication gave, for the approval; null where the channel approves by itself. */
  readonly paymentToken: string | null;
  /** Won. */
  readonly amount: number;
  readonly environment: Environment;
}
export interface ProviderRefund {
  readonly refundId: string;
  /** Won. */
  readonly amount: number;
  /** The idempotency key. */
  readonly key: string;
}
/** An answer with the provider's message about our request, which only the seller may see; never about another payment (X17). */
export type ProviderAnswer = ProviderOutcome & {
  readonly message: string | null;
  /** The provider knows no such payment of these credentials: proof only where it was started with them. */
  readonly isNotFound?: true;
  /** A confirm was answered with 403: by our credentials, or by what the buyer's browser gave. Only a check of the set tells (Y18). */
  readonly isForbidden?: true;
};
export type Verification = 'VERIFIED' | 'UNAUTHORIZED' | 'UNAVAILABLE';

/** The code of a response about another payment. */
export const MISMATCH = 'MISMATCH';
export const READ_MS = 10_000;

export const approved = (method: string): ProviderAnswer => ({
  result: 'APPROVED',
  code: 'DONE',
  ended: true,
  approvedMethod: method,
  message: null,
});
export const declined = (code: string, message?: unknown): ProviderAnswer => ({
  result: 'DECLINED',
  code,
  ended: true,
  approvedMethod: null,
  message: providerMessage(message),
});
export const unknown = (code: string, ended: boolean): ProviderAnswer => ({
  result: 'UNKNOWN',
  code,
  ended,
  approvedMethod: null,
  message: null,
});
/** No answer in time, a broken connection, or one that is not JSON; with a status of 4xx it is nobody's failure. */
export const lost = (code: string): ProviderAnswer => ({
  ...unknown(code, false),
  ...(!code.startsWith('HTTP_4') && { isTechnical: true }),
});
export const unpaid = (code: string): ProviderAnswer => ({ ...unknown(code, true), result: 'UNPAID' });
export const foreign = (code: string): ProviderAnswer => ({ ...unknown(code, true), result: 'FOREIGN' });
export const notFound = (): ProviderAnswer => ({ ...unpaid('NOT_FOUND'), isNotFound: true });
/** Our credentials were refused: nothing was done. */
export const unauthorized = (code: string, message?: unknown): ProviderAnswer => ({
  ...unknown(code, true),
  isUnauthorized: true,
  message: providerMessage(message),
});

/** The same at a confirm: a 401 comes before anything of the request is read, a 403 may be about the payment. */
export const refusedConfirm = (status: number, code: string, message?: unknown): ProviderAnswer => ({
  ...declined(code, message),
  ...(status === 403 ? { isForbidden: true } : { isUnauthorized: true }),
});

/** A cancel of a payment, as its reading shows it. */
export interface Cancel {
  readonly reason: string;
  readonly amount: number | undefined;
  readonly state: 'DONE' | 'REQUESTED' | 'FAILED';
}
export const voidReason = (attemptId: string): string => `[void-${attemptId}]`;
/** It ends with the refund's id, which identifies it after the idempotency key has expired too. */
export const refundReason = (refundId: string): string => `환불 [${refundId}]`;
/** How the reasons of our own cancels end. */
const OURS = /\[(?:rfd_|void-att_)\w+\]$/;
export const CANCEL_REQUESTED = 'CANCEL_REQUESTED';
export const CANCEL_FAILED = 'CANCEL_FAILED';

/** What the cancels of a payment say about a refund; its last request counts. */
export function refundAnswer(cancels: readonly Cancel[], { refundId, amount }: ProviderRefund, code: string): ProviderAnswer {
  const found = cancels.findLast(({ reason, amount: canceled }) => reason.endsWith(`[${refundId}]`) && canceled === amount);
  if (!found) return { ...unknown(code, true), result: 'ABSENT' };
  if (found.state === 'REQUESTED') return unknown(CANCEL_REQUESTED, true);
  return found.state === 'DONE' ? { ...unknown(code, true), result: 'REFUNDED' } : { ...unknown(CANCEL_FAILED, true), result: 'REFUSED' };
}

/**
 * The answer of a reading with what the payment's cancels add to it: our void is still being carried out, or somebody canceled at the
 * provider's console.
 */
export function withCancels(answer: ProviderAnswer, cancels: readonly Cancel[], attemptId: string): ProviderAnswer {
  const isVoiding = cancels.some(({ reason, state }) => reason.endsWith(voidReason(attemptId)) && state === 'REQUESTED');
  const isForeign = cancels.some(({ reason, state }) => state !== 'FAILED' && !OURS.test(reason));
  const known = isVoiding && answer.result === 'APPROVED' ? unknown(CANCEL_REQUESTED, true) : answer;
  return isForeign ? { ...known, isForeignCancel: true } : known;
}
