/** Where a courier shipment is: when to ask, and what an answer means (docs/contract.md#tracking, D72, D75). */
import { DAY, HOUR } from '../kernel/time.ts';
import type { PublicStatus } from '../flows/status.ts';
import type { Dispatch } from './rules.ts';

export const TRACKING_STAGES = ['ACCEPTED', 'IN_TRANSIT', 'OUT_FOR_DELIVERY', 'DELIVERED'] as const;
export type TrackingStage = (typeof TRACKING_STAGES)[number];

/** One scan of a parcel, as its courier tells it. */
export interface Scan {
  readonly stage: TrackingStage;
  readonly at: number;
  readonly location: string | null;
}
/** What a courier said when it was asked: the scans so far, or why there are none. */
export type TrackingReading =
  | { readonly result: 'FOUND'; readonly scans: readonly Scan[] }
  | { readonly result: 'NOT_FOUND' | 'UNAVAILABLE' | 'NOT_TRACKED' };

export interface Tracking {
  /** The dispatch, or the latest correction of its number. */
  readonly since: number;
  /** Readings asked for so far; names the next one. */
  readonly asked: number;
  /** Null once there is nothing left to ask. */
  readonly nextAt: number | null;
  readonly lastCheckedAt: number | null;
  readonly scans: readonly Scan[];
}

const GAP_MS = 4 * HOUR;
const ASKED_FOR_MS = 30 * DAY;
/** An asking whose answer was lost is made again soon. */
const LOST_MS = 60_000;

/** Asking begins at once. A corrected number begins anew, and what the wrong one told is forgotten; no reading has the name of an earlier one. */
export const beginTracking = (at: number, earlier: Tracking | null = null): Tracking => ({
  since: at,
  asked: earlier ? earlier.asked + 1 : 0,
  nextAt: at,
  lastCheckedAt: null,
  scans: [],
});

/** Only parcels that a courier carries are asked for. */
export const isTracked = (dispatch: Dispatch | null, status: PublicStatus): boolean =>
  dispatch?.deliveryMethod === 'COURIER' && status === 'DISPATCHED';

/** What follows a reading that was asked for at `at`; null is an asking of which nothing came back. */
export function afterReading(tracking: Tracking, reading: TrackingReading | null, at: number): Tracking {
  const asked = { ...tracking, asked: tracking.asked + 1 };
  if (reading === null) return { ...asked, nextAt: at + LOST_MS };
  const scans = reading.result === 'FOUND' ? reading.scans : tracking.scans;
  const next = tracking.since + (Math.floor((at - tracking.since) / GAP_MS) + 1) * GAP_MS;
  const isOver = reading.result === 'NOT_TRACKED' || deliveredAt({ scans }) !== null || next > tracking.since + ASKED_FOR_MS;
  return { ...asked, scans, lastCheckedAt: at, nextAt: isOver ? null : next };
}

/** Asked for, and no courier knows it: more of the same is expected. */
export const isUnknown = ({ scans, lastCheckedAt }: Tracking): boolean => scans.length === 0 && lastCheckedAt !== null;

/** When the courier says it was delivered, or null. */
export const deliveredAt = ({ scans }: Pick<Tracking, 'scans'>): number | null =>
  scans.find(({ stage }) => stage === 'DELIVERED')?.at ?? null;

/** The stage that is furthest on. */
export const stageOf = ({ scans }: Pick<Tracking, 'scans'>): TrackingStage | null =>
  TRACKING_STAGES.findLast((stage) => scans.some((scan) => scan.stage === stage)) ?? null;
