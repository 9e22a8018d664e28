/** When points expire: at the last second of a Korean day. */
import { DAY, KOREA, MINUTE, SECOND } from '../kernel/time.ts';

/** 23:59:59 of the Korean day that is `days` after that of `at`. */
export const endOfDayAfter = (at: number, days: number): number => (Math.floor((at + KOREA) / DAY) + days + 1) * DAY - KOREA - SECOND;

/** A restored lot lives so long where those that its points came from are dead (N28). */
const RESTORED_DAYS = 30;
/** `latest`: when the last of the lots expires that a payment's points came from; null: none of them is known. */
export const expiryOfRestored = (latest: number | null, at: number): number =>
  latest !== null && latest > at ? latest : endOfDayAfter(at, RESTORED_DAYS);

const SOON_DAYS = 30;
/** Lots that expire at this time or before expire soon. */
export const soonUntil = (at: number): number => endOfDayAfter(at, SOON_DAYS);

/** How often the job runs that records expiries. */
const EXPIRY_INTERVAL_MS = 10 * MINUTE;
/** The store's time at which the job finds a lot: the first ten-minute mark from its expiry on that is still to come (N12). */
export const markOf = (expiresAt: number, now: number): number =>
  Math.ceil(Math.max(expiresAt, now + 1) / EXPIRY_INTERVAL_MS) * EXPIRY_INTERVAL_MS;
