/** The transitions of the state machines, found by applying every event to every state: the arrows of their diagrams. */
import { type ApprovalEvent, type ApprovalState, decide as decideApproval, type Decider } from '../../domain/approvals/machine.ts';
import { isDecided, SEARCH_MS, PENDING_MS, RETRY_MS } from '../../domain/approvals/rules.ts';
import { COMMANDS as CLAIM_COMMANDS } from '../../domain/claims/machine.ts';
import type { ClaimType } from '../../domain/claims/rules.ts';
import { DAY, MINUTE } from '../../domain/kernel/time.ts';
import { COMMANDS, decide as decideInvitation, type InvitationEvent, newInvitation } from '../../domain/invitations/machine.ts';
import { INVITATION_STATUSES, LINK_MS } from '../../domain/invitations/rules.ts';
import { decide, isEnded, mayStartRefund } from '../../domain/payments/machine.ts';
import type { AttemptState, PaymentEvent, PaymentOutcome, PaymentState, RefundState } from '../../domain/payments/state.ts';
import { decide as decideDelivery, type DeliveryEvent, type DeliveryState } from '../../domain/webhooks/machine.ts';
import { type AttemptOutcome, attemptId, isInFlight, isWaiting } from '../../domain/webhooks/rules.ts';
import { type Arrow, explore } from './mermaid.ts';

interface Timed {
  readonly payment: PaymentState;
  readonly at: number;
}
export const attempt: AttemptState = {
  attemptId: 'a',
  pg: 'tosspayments',
  pgOrderId: '1',
  amountWon: 1,
  status: 'OPEN',
  paymentKey: null,
  paymentToken: null,
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
export const refund: RefundState = {
  refundId: 'r',
  amountWon: 1,
  status: 'PENDING',
  failureCode: null,
  keySeq: 1,
  absences: 0,
  isAnswered: false,
  requestedAt: null,
  callCount: 0,
  settledAt: null,
};
/** A payment that nobody has paid yet. */
export const initial: PaymentState = {
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
/** The outcomes of a payment's effects in the transaction, as events. */
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
      ...(mayStartRefund(payment, at) && payment.refund?.status === 'PENDING' ? [step('refund', [{ type: 'refundWaits' }])] : []),
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
export const payments = (name: (payment: PaymentState) => string): Arrow[] =>
  explore<Timed>({ payment: initial, at: 0 }, nextOf, ({ payment }) => name(payment), sameOf);

const NOTHING: AttemptOutcome = { errorCode: null, responseStatusCode: null, responseTimeMs: null, responseBodyExcerpt: null };
const created: DeliveryState = {
  ...NOTHING,
  storeId: 's',
  deliveryId: 'd',
  status: 'PENDING',
  attemptCount: 0,
  attemptedAt: null,
  nextAttemptAt: null,
  epoch: 0,
  createdAt: 0,
  receiver: { isActive: true, hasFailed: false, epoch: 0 },
};
const ANSWERS: readonly (readonly [label: string, answer: AttemptOutcome | 'LOST'])[] = [
  ['success', NOTHING],
  ['failure', { ...NOTHING, errorCode: 'NON_2XX' }],
  ['lost', 'LOST'],
];

/** The transitions of a delivery: attempts begin and end, and the receiver may be suspended at any time. */
export const deliveries = (): Arrow[] =>
  explore<DeliveryState>(
    created,
    (state) => {
      if (!isWaiting(state.status)) return [];
      const step = (label: string, event: DeliveryEvent, from = state) => ({ label, state: decideDelivery(from, event, 0).state });
      const callId = attemptId(state.deliveryId, state.attemptCount);
      const begun = { ...state, attemptCount: state.attemptCount + 1, nextAttemptAt: null };
      const given = { ...state, receiver: { ...state.receiver, isActive: false, epoch: 1 } };
      return [
        ...(isInFlight(state)
          ? ANSWERS.map(([label, answer]) => step(`attempt ${state.attemptCount}: ${label}`, { type: 'outcome', callId, answer }))
          : [{ label: 'attempt begun', state: begun }]),
        step('webhook suspended', { type: 'elapsed' }, given),
        step('webhook suspended', { type: 'suspended' }),
      ];
    },
    ({ status }) => status,
    ({ status, attemptCount, nextAttemptAt }) => JSON.stringify([status, attemptCount, nextAttemptAt === null]),
  );

/** The transitions of an invitation: its commands, and the expiry of its link. */
export function invitations(): Arrow[] {
  const initial = newInvitation({ storeId: 's', invitationId: 'i' }, 0);
  const elapsed: InvitationEvent = { type: 'elapsed' };
  return [
    ...INVITATION_STATUSES.flatMap((from) => Object.entries(COMMANDS[from]).map(([label, to]) => ({ from, to, label }))),
    { from: initial.status, to: decideInvitation(initial, elapsed, LINK_MS).state.status, label: 'seven days elapsed' },
  ];
}

/** Of claims of one type. */
export const claims = (type: ClaimType): Arrow[] => [
  ...Object.entries(CLAIM_COMMANDS[type]).flatMap(([from, commands]) =>
    Object.entries(commands).map(([label, to]) => ({ from, to, label })),
  ),
  { from: 'HELD', to: 'REQUESTED', label: 'the hold elapsed' },
];

const approver: Decider = { userId: 'u', role: 'OWNER', scopes: [], via: 'CONSOLE' };
const requested: ApprovalState = {
  storeId: 's',
  approvalId: 'a',
  status: 'PENDING',
  expiresAt: PENDING_MS,
  approverRole: 'ADMIN',
  requiredScopes: [],
  previewDigest: '',
  round: 0,
  executingSince: null,
  executingReal: null,
  attempts: 0,
  nextAttemptAt: null,
  result: null,
};
/** When the call of an execution ends, after its approval at 0. */
const ENDS = [
  ['', 0],
  [' after a minute', RETRY_MS],
  [' after a day', SEARCH_MS],
] as const;

/** The transitions of an approval request: decided by a person or by time, then carried out. */
export const approvals = (): Arrow[] =>
  explore<ApprovalState>(
    requested,
    (state) => {
      const step = (label: string, event: ApprovalEvent, at: number) => ({
        label,
        state: decideApproval(state, event, { at, real: at }).state,
      });
      if (state.status === 'PENDING')
        return [
          ...(['approve', 'reject'] as const).map((name) => step(name, { type: 'command', command: { name, input: approver } }, 0)),
          step('24 hours elapsed', { type: 'elapsed' }, PENDING_MS),
        ];
      if (isDecided(state.status) && state.nextAttemptAt === null) return [];
      return ENDS.flatMap(([when, at]) => {
        const times = { at, real: at };
        const { plan } = decideApproval({ ...state, nextAttemptAt: at }, { type: 'load' }, times);
        const ended = (label: string, outcome: Extract<ApprovalEvent, { type: 'outcome' }>['outcome']) => {
          const event: ApprovalEvent = { type: 'outcome', callId: plan.calls[0]!.id, outcome };
          return { label, state: decideApproval({ ...state, nextAttemptAt: at }, event, times).state };
        };
        const { name } = plan.calls[0]!;
        return [
          ended(`${name}: 2xx`, { result: 'DONE', status: 200, code: 'OK' }),
          ended(`${name}: a refusal`, { result: 'DONE', status: 409, code: 'INVALID_STATUS' }),
          ended(`${name}: not what was approved${at >= PENDING_MS ? when : ''}`, { result: 'DONE', status: 409, code: 'APPROVAL_STALE' }),
          ended(`${name}: unknown${when}`, { result: 'UNKNOWN' }),
        ];
      });
    },
    ({ status }) => status,
    ({ status, nextAttemptAt }) => JSON.stringify([status, nextAttemptAt === null]),
  );
