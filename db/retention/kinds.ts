/** Retention: everything that is deleted, and when (X26). docs/operations.md#retention shows this table, and a test compares the two. */
import { RETENTION_MS } from '../../domain/approvals/rules.ts';
import { DAY, HOUR } from '../../domain/kernel/time.ts';
import { MEMBER_RETENTION_MS } from '../../domain/visits/rules.ts';

export interface Kind {
  /** Its functions in Postgres are `sweep_<name>` and `overdue_<name>`. */
  readonly name: string;
  /** A description for operators. */
  readonly what: string;
  /** Milliseconds between its end and its deletion. */
  readonly retentionMs: number;
  /** Whether its end is a real time, or a business time of its store. */
  readonly clock: 'real' | 'store';
}

export const KINDS: readonly Kind[] = [
  { name: 'operations', what: 'Idempotency keys, from their 24 hours', retentionMs: 0, clock: 'real' },
  { name: 'runs', what: 'Runs that are done', retentionMs: 14 * DAY, clock: 'real' },
  { name: 'login_requests', what: 'Logins that nobody came back to, from their 10 minutes', retentionMs: HOUR, clock: 'real' },
  { name: 'consent_requests', what: 'Questions that nobody answered, from their 10 minutes', retentionMs: HOUR, clock: 'real' },
  { name: 'auth_codes', what: 'Codes, used or not, from their minute; logins that took none', retentionMs: DAY, clock: 'real' },
  { name: 'refresh_tokens', what: 'Refresh tokens, from their 30 days; logins whose last one it was', retentionMs: DAY, clock: 'real' },
  { name: 'logins', what: 'Logins that were ended, with their tokens', retentionMs: 7 * DAY, clock: 'real' },
  { name: 'guest_sessions', what: 'Guest sessions that expired or were never used, with their carts', retentionMs: DAY, clock: 'store' },
  { name: 'checkouts', what: 'Checkouts that expired and that nobody began to pay', retentionMs: 7 * DAY, clock: 'store' },
  {
    name: 'payments',
    what: 'Payments without an order from their start, with attempts and checkout',
    retentionMs: 100 * DAY,
    clock: 'real',
  },
  { name: 'texts', what: 'Texts of commands that no transition came for', retentionMs: DAY, clock: 'real' },
  { name: 'rate_limits', what: 'Counted uses of what is limited, from the end of their window', retentionMs: HOUR, clock: 'real' },
  { name: 'invitation_sends', what: 'Counts of invitation mails', retentionMs: 2 * DAY, clock: 'real' },
  {
    name: 'approvals',
    what: 'Approval requests, from their creation, with their idempotency keys',
    retentionMs: RETENTION_MS,
    clock: 'store',
  },
  {
    name: 'visit_members',
    what: 'Who visited on which day, as a hash, since it was counted',
    retentionMs: MEMBER_RETENTION_MS,
    clock: 'store',
  },
  { name: 'visit_sessions', what: 'Where a session came from, from its first event', retentionMs: MEMBER_RETENTION_MS, clock: 'store' },
  { name: 'visit_uses', what: 'How many events of visits were taken from whom on a day', retentionMs: 2 * DAY, clock: 'store' },
  { name: 'order_inputs', what: 'Order-input uploads that nothing names, with their files', retentionMs: DAY, clock: 'store' },
];

/** Stored files without a row are deleted at this age (real time). */
export const ORPHAN_FILE_MS = DAY;
/** Rows that are overdue by this count as left over: a gauge with an alert. */
export const LATE_MS = HOUR;
