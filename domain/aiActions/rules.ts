/** AI actions: what agents may still change this month. A month is a Korean calendar month of the store's clock. */
import { KOREA, korean } from '../kernel/time.ts';

/** What a store has used of its plan in a month. It may be more than the limit: some actions are counted and never blocked. */
export interface Usage {
  readonly limit: number;
  readonly used: number;
  /** The business time at which the next month's count begins. */
  readonly resetsAt: number;
}

/** The Korean calendar month of a moment: `2026-11`. */
export const monthOf = (at: number): string => korean(at).slice(0, 7);

/** The first moment of the month after it. */
export function monthEnd(at: number): number {
  const there = new Date(at + KOREA);
  return Date.UTC(there.getUTCFullYear(), there.getUTCMonth() + 1) - KOREA;
}

/** Actions that are left; never below 0. */
export const remainingActions = ({ limit, used }: Usage): number => Math.max(0, limit - used);
