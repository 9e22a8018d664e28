/** When a store's next external call may be made. Real times, in milliseconds. */
import { MINUTE, SECOND } from '../../kernel/time.ts';

/** Of one store, by the real clock. */
export const CALLS_IN_FLIGHT = 10;
export const CALLS_A_MINUTE = 60;
/**
 * A call that waits for others tries again after this time. For each ten calls before it, it waits this much longer. The end of another
 * call wakes it earlier.
 */
const RETRY_TURN_MS = 5 * SECOND;

export interface Traffic {
  readonly now: number;
  /** When those of the last minute were begun, oldest first. */
  readonly begun: readonly number[];
  readonly inFlight: number;
  /** Calls that wait, and were asked for before. */
  readonly ahead: number;
}
/** Null: now. Else when to ask again, later than now: those ahead go first. */
export function turnAt({ now, begun, inFlight, ahead }: Traffic): number | null {
  const over = inFlight + ahead - CALLS_IN_FLIGHT;
  const late = begun.length + ahead - CALLS_A_MINUTE;
  if (over < 0 && late < 0) return null;
  const whenFree = over < 0 ? now : now + Math.min(MINUTE, RETRY_TURN_MS * (1 + Math.floor(over / CALLS_IN_FLIGHT)));
  return Math.max(whenFree, late < 0 ? now : minuteOf(now, begun, late), now + SECOND);
}
/** When so many of the last minute's, and one, are older than a minute; those that wait are begun then, and so on. */
function minuteOf(now: number, begun: readonly number[], late: number): number {
  const round = Math.floor(late / CALLS_A_MINUTE);
  return (begun[late % CALLS_A_MINUTE] ?? now) + MINUTE * (1 + round);
}
