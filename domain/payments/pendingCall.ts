import type { PaymentMessages } from './messages.ts';

/** The one call that a payment makes at a time, not before `dueAt`. */
export interface PendingCall {
  readonly id: string;
  readonly name: keyof PaymentMessages['calls'];
  /** Counts the calls since the outcome became unknown; the gap before the next one grows with it. */
  readonly n: number;
  readonly attemptId: string;
  readonly dueAt: number;
  /** Of `refundPayment` and `findRefund`. */
  readonly refundId?: string;
  /** There are no credentials, or the provider refuses them: it is made again in an hour, or at once when others are verified (Y9). */
  readonly isBlocked?: boolean;
  /** The confirm before it was cut short and not counted as a technical failure: this reading tells whether it was one (Y17). */
  readonly isAfterSlow?: boolean;
  /** Brought forward by a notification: early, it is no proof of "not charged". */
  readonly isHint?: boolean;
}
