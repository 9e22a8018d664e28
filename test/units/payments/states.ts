/** States and events of the payment's machine, for its tests. */
import * as machines from '../../../bin/dev/machines.ts';
import { decide } from '../../../domain/payments/machine.ts';
import type { ProviderOutcome } from '../../../domain/payments/messages.ts';
import type { AttemptState, PaymentEvent, PaymentState, RefundState } from '../../../domain/payments/state.ts';

export const toss: AttemptState = { ...machines.attempt, attemptId: 'att', pgOrderId: '1-01', amountWon: 1000 };
export const portone: AttemptState = { ...toss, pg: 'portone' };
export const refund: RefundState = { ...machines.refund, refundId: 'rfd', amountWon: 400 };
export const open = (attempt: AttemptState): PaymentState => ({ ...machines.initial, attempt, currentAttemptId: 'att' });
export const outcome = (result: ProviderOutcome['result'], more: Partial<ProviderOutcome> = {}): PaymentEvent => ({
  type: 'outcome',
  outcome: { result, code: 'X', ended: true, approvedMethod: 'CARD', ...more } as ProviderOutcome,
});
export const after = (state: PaymentState, ...events: readonly (readonly [PaymentEvent, number])[]): PaymentState =>
  events.reduce((current, [event, at]) => decide(current, event, at).state, state);
export const effectsOf = (state: PaymentState, event: PaymentEvent, at: number) => decide(state, event, at).effects.map(({ type }) => type);
export const STOCK = { type: 'stockTaken' } as const;
export const NOTIFIED = { type: 'notified' } as const;
export const VERIFIED = { type: 'credentialsVerified' } as const;
export const UNREMAINS = { type: 'unknownRemains' } as const;
export const pay = (paymentToken: string | null, paymentKey: string | null = 'tx'): PaymentEvent => ({
  type: 'pay',
  pgOrderId: '1-01',
  amount: 1000,
  paymentKey,
  paymentToken,
});
export const confirming = after(open(toss), [{ type: 'keyReserved', paymentKey: 'k' }, 0], [STOCK, 0]);
export const completed = after(confirming, [outcome('APPROVED'), 0]);
export const refused = outcome('DECLINED', { code: 'UNAUTHORIZED_KEY', isUnauthorized: true });
