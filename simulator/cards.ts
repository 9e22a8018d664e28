/** What a card's ending means, at both providers alike: in the window, at the approval and at a cancel. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { failureOf } from './codes.ts';
import { balanceOf, type Cancel, cancellableOf, type Payment, type Payments } from './payments.ts';

const SLOW_MS = 90_000;
const ASYNCHRONOUS_MS = 2000;
export const AUTHENTICATION_MS = 10 * 60_000;
export const DEFAULT_CARD = '4111111111110000';

const DECLINES: Readonly<Record<string, string>> = {
  '0001': 'REJECT_CARD_PAYMENT',
  '0002': 'INVALID_STOPPED_CARD',
  '0003': 'FDS_ERROR',
  '0022': 'REJECT_CARD_COMPANY',
};

/** How the buyer leaves the window. */
export function windowOutcome(query: URLSearchParams): { card: string; outcome: 'PAY' | 'CANCEL' | 'REFUSE' | 'PAY_AT_ONCE' } {
  const card = (query.get('card') || DEFAULT_CARD).replaceAll(/\D/g, '');
  if (query.get('outcome') === 'cancel' || card.endsWith('0010')) return { card, outcome: 'CANCEL' };
  if (card.endsWith('0060')) return { card, outcome: 'REFUSE' };
  return { card, outcome: card.endsWith('0070') ? 'PAY_AT_ONCE' : 'PAY' };
}

export type Approval =
  | { readonly result: 'PAID'; readonly isLost: boolean }
  | { readonly result: 'DECLINED'; readonly code: string }
  | { readonly result: 'ERROR' | 'UNAUTHORIZED' };

/** The approval of an authenticated payment. `behaviour`: a card's ending; with `+4000` the response is sent after four seconds. */
export async function approve(payments: Payments, payment: Payment, behaviour = payment.card.slice(-4)): Promise<Approval> {
  const [ending = '', lateMs = '0'] = behaviour.split('+');
  const approval = await approveBy(ending, payments, payment);
  await sleep(Number(lateMs));
  return approval;
}

async function approveBy(ending: string, payments: Payments, payment: Payment): Promise<Approval> {
  if (ending === '0022') await sleep(SLOW_MS);
  const code = DECLINES[ending];
  if (code !== undefined) {
    if (payment.state === 'AUTHENTICATED') payments.fail(payment, 'FAILED', failureOf(code));
    return { result: 'DECLINED', code };
  }
  if (ending === '0030') return { result: 'ERROR' };
  if (ending === '0050') return { result: 'UNAUTHORIZED' };
  payments.charge(payment);
  if (ending === '0021') await sleep(SLOW_MS);
  return ending === '0031' ? { result: 'ERROR' } : { result: 'PAID', isLost: ending === '0020' };
}

export type CancelRefusal = 'NOT_PAID' | 'ALREADY_CANCELED' | 'EXCEEDS' | 'RUNNING' | 'FAILING_CARD';

/** A cancel, of the whole balance where there is no amount. */
export function cancel(payments: Payments, payment: Payment, amount: number | null, reason: string): Cancel | CancelRefusal {
  if (payment.state !== 'PAID') return 'NOT_PAID';
  const balance = balanceOf(payment);
  if (balance === 0) return 'ALREADY_CANCELED';
  if (payment.card.endsWith('0040') && payment.refusedCancels < 2) {
    payments.change(payment, { refusedCancels: payment.refusedCancels + 1 });
    return 'FAILING_CARD';
  }
  const canceled = amount ?? balance;
  if (canceled > balance || canceled < 1) return 'EXCEEDS';
  if (canceled > cancellableOf(payment)) return 'RUNNING';
  const made = newCancel(canceled, reason, payment.card.endsWith('0041') ? ASYNCHRONOUS_MS : 0);
  payments.addCancel(payment, made);
  return made;
}

export function newCancel(amount: number, reason: string, durationMs = 0): Cancel {
  const at = Date.now();
  return { id: randomUUID(), amount, reason, at: new Date(at).toISOString(), doneAt: at + durationMs };
}
