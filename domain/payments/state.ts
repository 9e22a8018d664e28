/** What decides about a checkout payment: the payment, the attempt and the refund that an event is about. Times are business milliseconds. */
import type { CallOf, OutcomeOf } from '../kernel/messages.ts';
import type { Failure } from './failures.ts';
import type { PaymentMessages } from './messages.ts';
import type { AttemptStatus, PaymentResult, PaymentStatus, PendingCall, RefundStatus } from './rules.ts';

export interface AttemptState {
  readonly attemptId: string;
  readonly pgOrderId: string;
  readonly amountWon: number;
  readonly status: AttemptStatus;
  readonly paymentKey: string | null;
  readonly approvedMethod: string | null;
  readonly failure: Failure | null;
  /** An outcome was unknown once: a late approval is possible. */
  readonly isUnknown: boolean;
  /** Since when its outcome is being read. */
  readonly unknownSince: number | null;
  /** Whether the last confirm was answered: not lost, not still running. */
  readonly confirmAnswered: boolean;
  /** Readings that found the payment not charged since then, in a row. */
  readonly readings: number;
  /** Calls planned so far: no two have the same id. */
  readonly callCount: number;
  readonly confirmedAt: number | null;
  readonly endedAt: number | null;
}
export interface RefundState {
  readonly refundId: string;
  readonly amountWon: number;
  readonly status: RefundStatus;
  readonly failureCode: string | null;
  /** Counts the keys that the provider was asked under: a kept error would be answered for ever. */
  readonly keySeq: number;
  /** Readings without this refund since the last answered request. */
  readonly absences: number;
  /** The last request was answered: not lost, not still running. */
  readonly isAnswered: boolean;
  /** Since when it is being asked for. */
  readonly askedAt: number | null;
  readonly callCount: number;
  readonly settledAt: number | null;
}
export interface PaymentState {
  readonly storeId: string;
  readonly status: PaymentStatus;
  readonly result: PaymentResult;
  readonly expiresAt: number;
  readonly completedAt: number | null;
  readonly currentAttemptId: string;
  readonly lastFailure: Failure | null;
  /** The one call that is planned or under way. */
  readonly call: PendingCall | null;
  /** What the event is about; null where it is about none. */
  readonly attempt: AttemptState | null;
  readonly refund: RefundState | null;
}

export type PaymentOutcome = OutcomeOf<PaymentMessages['calls']>;
export type PaymentCall = CallOf<PaymentMessages['calls']>;

export type PaymentEvent =
  /** Its run was loaded, or a time has come. */
  | { readonly type: 'elapsed' }
  /** The buyer came back: authenticated, or without. Null keys and codes were swept. */
  | { readonly type: 'pay'; readonly pgOrderId: string; readonly amount: number; readonly paymentKey: string | null }
  | { readonly type: 'giveUp'; readonly code: string | null }
  /** What became of the effects of a `pay`. */
  | { readonly type: 'keyReserved'; readonly paymentKey: string }
  | { readonly type: 'keyTaken' }
  | { readonly type: 'stockTaken' }
  | { readonly type: 'outOfStock' }
  /** The call of the state has ended. */
  | { readonly type: 'outcome'; readonly outcome: PaymentOutcome }
  /** A refund waits (the state's, with the attempt that was approved). */
  | { readonly type: 'refundWaits' }
  /** The payment has ended, and the state's attempt had an outcome that was unknown once. */
  | { readonly type: 'unknownRemains' };

/** What the transaction does besides writing the state. */
export type PaymentEffect =
  /** Answers `keyReserved` or `keyTaken`: a key that another attempt of any store has is no payment of this one (X17). */
  | { readonly type: 'reserveKey'; readonly paymentKey: string }
  /** Answers `stockTaken` or `outOfStock`. */
  | { readonly type: 'takeStock' }
  | { readonly type: 'returnStock' }
  /** The order, its items and their runs; bought lines leave the cart (D39). */
  | { readonly type: 'createOrder' }
  /** Attempts that nobody used expire with the payment. */
  | { readonly type: 'expireAttempts' }
  | Alarm;
/** What an operator must hear of. */
export interface Alarm {
  readonly type: 'alarm';
  readonly kind: 'mismatch' | 'unresolved';
  readonly operation: keyof PaymentMessages['calls'] | 'return';
  /** Of the attempt or the refund. */
  readonly id: string;
}

export interface Decided {
  readonly state: PaymentState;
  readonly effects: readonly PaymentEffect[];
}
