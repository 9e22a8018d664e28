/** Tracking of courier shipments: when to poll, and what a reading means (docs/contract.md#tracking). Business times. */
import { DAY, HOUR } from '../kernel/time.ts';
import type { PublicStatus } from '../flows/graph/status.ts';
import type { Dispatch } from './rules.ts';

export const TRACKING_STAGES = ['ACCEPTED', 'IN_TRANSIT', 'OUT_FOR_DELIVERY', 'DELIVERED'] as const;
export type TrackingStage = (typeof TRACKING_STAGES)[number];

/** One scan of a parcel, as the courier reports it. */
export interface Scan {
  readonly stage: TrackingStage;
  readonly at: number;
  readonly location: string | null;
}
/** A courier's answer to a poll: the scans so far, or why there are none. */
export type TrackingReading =
  | { readonly result: 'FOUND'; readonly scans: readonly Scan[] }
  | { readonly result: 'NOT_FOUND' | 'UNAVAILABLE' | 'NOT_TRACKED' };

export interface Tracking {
  /** The time of the dispatch, or of the latest correction of the tracking number. */
  readonly since: number;
  /** Polls so far: the number of the next one. */
  readonly polls: number;
  /** When the next poll is due; null once polling has ended. */
  readonly nextAt: number | null;
  readonly lastCheckedAt: number | null;
  readonly scans: readonly Scan[];
}

const GAP_MS = 4 * HOUR;
const MAX_POLLING_MS = 30 * DAY;
/** The gap after a poll whose answer was lost. */
const LOST_MS = 60_000;

/**
 * The first poll is due immediately. A corrected number starts over and discards the scans of the wrong one, but goes on counting, so that
 * no poll reuses an id.
 */
export const beginTracking = (at: number, earlier: Tracking | null = null): Tracking => ({
  since: at,
  polls: earlier ? earlier.polls + 1 : 0,
  nextAt: at,
  lastCheckedAt: null,
  scans: [],
});

/** Only dispatched COURIER shipments are polled. */
export const isTracked = (dispatch: Dispatch | null, status: PublicStatus): boolean =>
  dispatch?.deliveryMethod === 'COURIER' && status === 'DISPATCHED';

/** The tracking after the poll of the time `at`; `reading` is null when its answer was lost. No poll is planned after thirty days. */
export function afterReading(tracking: Tracking, reading: TrackingReading | null, at: number): Tracking {
  const polled = { ...tracking, polls: tracking.polls + 1 };
  const isTooLate = (next: number) => next > tracking.since + MAX_POLLING_MS;
  if (reading === null) return { ...polled, nextAt: isTooLate(at + LOST_MS) ? null : at + LOST_MS };
  const scans = reading.result === 'FOUND' ? reading.scans : tracking.scans;
  const next = tracking.since + (Math.floor((at - tracking.since) / GAP_MS) + 1) * GAP_MS;
  const isOver = reading.result === 'NOT_TRACKED' || deliveredAt({ scans }) !== null || isTooLate(next);
  return { ...polled, scans, lastCheckedAt: at, nextAt: isOver ? null : next };
}

/** Polled without a scan so far: the courier does not know the number (yet). */
export const isUnknown = ({ scans, lastCheckedAt }: Tracking): boolean => scans.length === 0 && lastCheckedAt !== null;

/** The time of delivery that the courier reports, or null. */
export const deliveredAt = ({ scans }: Pick<Tracking, 'scans'>): number | null =>
  scans.find(({ stage }) => stage === 'DELIVERED')?.at ?? null;

/** The most advanced stage of all scans, or null. */
export const stageOf = ({ scans }: Pick<Tracking, 'scans'>): TrackingStage | null =>
  TRACKING_STAGES.findLast((stage) => scans.some((scan) => scan.stage === stage)) ?? null;
