/** `npm run diagrams`: draws every state machine and every flow into `docs/states.md`. A test compares. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manualStandard } from '../domain/flows/presets/manualStandard.ts';
import { shippingStandard } from '../domain/flows/presets/shippingStandard.ts';
import { DAY, MINUTE } from '../domain/kernel/time.ts';
import { decide, isEnded, takesRefund } from '../domain/payments/machine.ts';
import type { AttemptState, PaymentEvent, PaymentOutcome, PaymentState, RefundState } from '../domain/payments/state.ts';
import { root } from './kernel/paths.ts';
import { type Arrow, diagram, explore, flowDiagram } from './dev/mermaid.ts';

interface Timed {
  readonly payment: PaymentState;
  readonly at: number;
}
const attempt: AttemptState = {
  attemptId: 'a',
  pgOrderId: '1',
  amountWon: 1,
  status: 'OPEN',
  paymentKey: null,
  approvedMethod: null,
  failure: null,
  isUnknown: false,
  unknownSince: null,
  confirmAnswered: true,
  readings: 0,
  callCount: 0,
  confirmedAt: null,
  endedAt: null,
};
const refund: RefundState = {
  refundId: 'r',
  amountWon: 1,
  status: 'PENDING',
  failureCode: null,
  keySeq: 1,
  absences: 0,
  isAnswered: false,
  askedAt: null,
  callCount: 0,
  settledAt: null,
};
const initial: PaymentState = {
  storeId: 's',
  status: 'pending',
  result: 'PENDING',
  expiresAt: 10 * MINUTE,
  completedAt: null,
  currentAttemptId: 'a',
  lastFailure: null,
  call: null,
  attempt,
  refund: null,
};
const RESULTS = ['APPROVED', 'DECLINED', 'UNKNOWN', 'UNPAID', 'VOIDED', 'FOREIGN', 'UNSENT'] as const;
const REFUND_RESULTS = ['REFUNDED', 'REFUSED', 'ABSENT', 'UNKNOWN', 'FOREIGN'] as const;
const outcome = (result: PaymentOutcome['result']): PaymentEvent => ({
  type: 'outcome',
  outcome: { result, code: 'CODE', ended: true, approvedMethod: null } as PaymentOutcome,
});
/** What a pay asks of the transaction, with each answer. */
const PAYS: readonly (readonly [label: string, events: readonly PaymentEvent[]])[] = [
  ['pay', [{ type: 'keyReserved', paymentKey: 'k' }, { type: 'stockTaken' }]],
  ['pay, no stock', [{ type: 'keyReserved', paymentKey: 'k' }, { type: 'outOfStock' }]],
  ['pay, key of another payment', [{ type: 'keyTaken' }]],
];

function nextOf({ payment, at }: Timed): { label: string; state: Timed }[] {
  const step = (label: string, events: readonly PaymentEvent[], later = 0) => {
    const then = at + later;
    return { label, state: { payment: events.reduce((state, event) => decide(state, event, then).state, payment), at: then } };
  };
  if (payment.call) {
    const results = payment.call.refundId === undefined ? RESULTS : REFUND_RESULTS;
    const name = payment.call.name;
    return [
      ...results.map((result) => step(`${name}: ${result}`, [outcome(result)])),
      step(`${name}: unknown for a day`, [outcome('UNKNOWN')], DAY),
    ];
  }
  if (isEnded(payment)) {
    const isRead = payment.attempt!.isUnknown && !['APPROVED', 'UNRESOLVED'].includes(payment.attempt!.status);
    return [
      ...(isRead ? [step('read a last time', [{ type: 'unknownRemains' }])] : []),
      ...(takesRefund(payment, at) && payment.refund?.status === 'PENDING' ? [step('refund', [{ type: 'refundWaits' }])] : []),
      ...(payment.status === 'completed' && !payment.refund ? [{ label: 'cancel', state: { payment: { ...payment, refund }, at } }] : []),
    ];
  }
  const pays = payment.attempt!.status === 'OPEN' ? PAYS.map(([label, events]) => step(label, events)) : [];
  const gives = payment.attempt!.status === 'OPEN' ? [step('give up', [{ type: 'giveUp', code: null }])] : [];
  return [...pays, ...gives, step('ten minutes elapsed', [{ type: 'elapsed' }], 10 * MINUTE)];
}

const sameOf = ({ payment: { status, result, call, attempt: tried, refund: back }, at }: Timed): string =>
  JSON.stringify([
    status,
    result,
    call?.name,
    tried?.status,
    tried?.isUnknown,
    Math.min(tried?.readings ?? 0, 4),
    back?.status,
    back?.failureCode,
    Math.min(back?.absences ?? 0, 4),
    at >= DAY,
  ]);
const payments = (name: (payment: PaymentState) => string): Arrow[] =>
  explore<Timed>({ payment: initial, at: 0 }, nextOf, ({ payment }) => name(payment), sameOf);

/** The page as it should be. */
export function statesPage(): string {
  const refunds = payments((payment) => payment.refund?.status ?? 'none').filter(({ from }) => from !== 'none');
  return `# States

Drawn from the code by \`npm run diagrams\`; a test compares. Labels are events; \`confirmPayment: DECLINED\` is the outcome of a call.

## Checkout payment

${diagram(
  'pending',
  payments(({ status }) => status),
  ['completed', 'failed', 'expired'],
)}

## Payment attempt

${diagram(
  'OPEN',
  payments(({ attempt: tried }) => tried!.status),
  ['APPROVED', 'DECLINED', 'CANCELED', 'VOIDED', 'UNRESOLVED'],
)}

## Refund

HELD becomes PENDING when the seller processes it.

${diagram('PENDING', refunds, ['DONE', 'FAILED'])}

## Order item: shipping-standard

${flowDiagram(shippingStandard)}

## Order item: manual-standard

${flowDiagram(manualStandard)}
`;
}

if (import.meta.main) writeFileSync(join(root, 'docs/states.md'), statesPage());
