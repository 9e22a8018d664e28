/** Everything that ends, and how long it is kept (X26). One table; README shows it, and a test holds the two equal. */
import { DAY, HOUR } from '../../domain/kernel/time.ts';

export interface Kind {
  /** Its functions in Postgres are `sweep_<name>` and `left_<name>`. */
  readonly name: string;
  /** For operators. */
  readonly what: string;
  /** Milliseconds between its end and its going. */
  readonly keptMs: number;
  /** Whose time its end is: real time, or that of its store. */
  readonly clock: 'real' | 'store';
}

export const KINDS: readonly Kind[] = [
  { name: 'operations', what: 'Idempotency keys, from their 24 hours', keptMs: 0, clock: 'real' },
  { name: 'runs', what: 'Runs that are done', keptMs: 14 * DAY, clock: 'real' },
  { name: 'login_requests', what: 'Logins that nobody came back to, from their 10 minutes', keptMs: HOUR, clock: 'real' },
  { name: 'consent_requests', what: 'Questions that nobody answered, from their 10 minutes', keptMs: HOUR, clock: 'real' },
  { name: 'auth_codes', what: 'Codes, used or not, from their minute; logins that took none', keptMs: DAY, clock: 'real' },
  { name: 'refresh_tokens', what: 'Refresh tokens, from their 30 days; logins whose last one it was', keptMs: DAY, clock: 'real' },
  { name: 'logins', what: 'Logins that were ended, with their tokens', keptMs: 7 * DAY, clock: 'real' },
  { name: 'guest_sessions', what: 'Guest sessions that expired or were never used, with their carts', keptMs: DAY, clock: 'store' },
  { name: 'checkouts', what: 'Checkouts that expired and that nobody began to pay', keptMs: 7 * DAY, clock: 'store' },
  { name: 'payments', what: 'Payments without an order from their start, with attempts and checkout', keptMs: 100 * DAY, clock: 'real' },
  { name: 'texts', what: 'Texts of commands that no transition came for', keptMs: DAY, clock: 'real' },
  { name: 'rate_limits', what: 'Counted uses of what is limited, from the end of their window', keptMs: HOUR, clock: 'real' },
  { name: 'invitation_sends', what: 'Counts of invitation mails', keptMs: 2 * DAY, clock: 'real' },
  { name: 'order_inputs', what: 'Order-input uploads that nothing names, with their files', keptMs: DAY, clock: 'store' },
];

/** Files in the storage that no row tells of are deleted when they are this old (real time). */
export const STRAY_FILE_MS = DAY;
/** What should have gone this long ago is left over: a gauge tells, and an alert rings. */
export const LATE_MS = HOUR;
