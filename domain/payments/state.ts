/** The state of the payment machine: the payment, and the attempt and refund that an event is about. Times are business milliseconds. */
import type { CallOf, OutcomeOf } from '../kernel/messages.ts';
import type { Failure } from './failures.ts';
import type { PaymentMessages } from './messages.ts';
import type { ProviderName } from './providers.ts';
import type { AttemptStatus, PaymentResult, PaymentStatus, RefundStatus } from './rules.ts';
import type { PendingCall } from './pendingCall.ts';

export interface AttemptState {
  readonly attemptId: string;
  readonly pg: ProviderName;
  readonly pgOrderId: string;
  readonly amountWon: number;
  readonly status: AttemptStatus;
  readonly paymentKey: string | null;
  /** Of PortOne, while the attempt lasts; without one no confirm can be sent. */
  readonly paymentToken: string | null;
  readonly approvedMethod: string | null;
  readonly failure: Failure | null;
  /** An outcome was unknown once, and no reading has resolved it: a late approval is possible. */
  readonly isUnknown: boolean;
  /** Since when its outcome is unknown. */
  readonly unknownSince: number | null;
  /** Whether the provider has finished processing the last confirm. */
  readonly confirmAnswered: boolean;
  /** Consecutive readings "not charged" since that confirm; of an attempt that was never confirmed, whether it was read since it ended. */
  readonly readings: number;
  /** Calls planned so far; a part of their ids. */
  readonly callCount: number;
  readonly confirmedAt: number | null;
  readonly endedAt: number | null;
}
export interface RefundState {
  readonly refundId: string;
  readonly amountWon: number;
  readonly status: RefundStatus;
  readonly failureCode: string | null;
  /** The number of the current idempotency key: under an old one the provider would replay a stored error forever. */
  readonly keySeq: number;
  /** Readings without this refund since the last request. */
  readonly absences: number;
  /** Whether the provider has finished processing the last request. */
  readonly isAnswered: boolean;
  /** When it was first requested. */
  readonly requestedAt: number | null;
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
  /** The one call that is planned or in flight. */
  readonly call: PendingCall | null;
  /** The attempt that the event is about; null where it is about none. */
  readonly attempt: AttemptState | null;
  readonly refund: RefundState | null;
}

export type PaymentOutcome = OutcomeOf<PaymentMessages['calls']>;
export type PaymentCall = CallOf<PaymentMessages['calls']>;

export type PaymentEvent =
  /** The run was loaded, or a timer has fired. */
  | { readonly type: 'elapsed' }
  /** Anything but its outcome came while the state's call was planned: an earlier run, or a worker that was lost, may have made it. */
  | { readonly type: 'resumed' }
  /** The buyer came back: `pay` authenticated, `giveUp` without. A key or code whose text was swept is null. */
  | {
      readonly type: 'pay';
      readonly pgOrderId: string;
      readonly amount: number;
      readonly paymentKey: string | null;
      readonly paymentToken: string | null;
    }
  | { readonly type: 'giveUp'; readonly code: string | null }
  /** Results of the effects of a `pay`. */
  | { readonly type: 'keyReserved'; readonly paymentKey: string }
  | { readonly type: 'keyTaken' }
  | { readonly type: 'keyInUse' }
  | { readonly type: 'stockTaken' }
  | { readonly type: 'outOfStock' }
  /** The call of the state has ended. */
  | { readonly type: 'outcome'; readonly outcome: PaymentOutcome }
  /** The state's refund is pending; the state's attempt is the approved one. */
  | { readonly type: 'refundWaits' }
  /** The state's attempt has ended, and whether it was charged is still unknown. */
  | { readonly type: 'unknownRemains' }
  /** The provider says that something happened to the state's attempt. */
  | { readonly type: 'notified' }
  /** Credentials of the provider were verified: a call that waits for them is due. */
  | { readonly type: 'credentialsVerified' };

/** What the transaction does besides writing the state. */
export type PaymentEffect =
  /**
   * Results in `keyReserved`; in `keyTaken` when an attempt of any store was paid with this payment key; in `keyInUse` when one may be: it
   * is confirmed just now, and the provider has not said yet whose payment it is.
   */
  | { readonly type: 'reserveKey'; readonly paymentKey: string }
  /** Results in `stockTaken` or `outOfStock`. */
  | { readonly type: 'takeStock' }
  | { readonly type: 'returnStock' }
  /** Creates the order, its items and their runs, and removes the bought lines from the cart. */
  | { readonly type: 'createOrder' }
  /** Sets OPEN attempts to EXPIRED. */
  | { readonly type: 'expireAttempts' }
  /** The payment has ended without an order: what it reserved goes back into its lots (N27). Last: the account is locked after all else. */
  | { readonly type: 'releasePoints' }
  /** The provider refused the attempt's credential set: no new payment uses it. */
  | { readonly type: 'rejectCredentials' }
  /** Counts for the circuit of the attempt's provider, at most once an attempt (Y17). */
  | { readonly type: 'countTechnicalFailure' }
  | Alarm;
/** Something that an operator has to be alerted of: a metric and a log line. */
export interface Alarm {
  readonly type: 'alarm';
  readonly kind: 'mismatch' | 'unresolved' | 'foreignCancel';
  readonly operation: keyof PaymentMessages['calls'] | 'return';
  /** The id of the attempt or refund. */
  readonly id: string;
}

export interface Decided {
  readonly state: PaymentState;
  readonly effects: readonly PaymentEffect[];
}
