/** Couriers behind one port: where is this parcel? */
import type { Scan, TrackingReading } from '../../domain/orders/tracking.ts';
import { HOUR } from '../../domain/kernel/time.ts';

export interface Shipment {
  readonly carrierCode: string;
  readonly trackingNumber: string;
  /** Business times: when it was handed over, and the moment for which it is asked. */
  readonly dispatchedAt: number;
  readonly at: number;
}
export interface Courier {
  /** A reading: asking twice changes nothing. */
  poll(parcel: Shipment): Promise<TrackingReading>;
}

/** Without a courier no parcel is asked for; the seller or the automatic delivery decides. */
export const noCourier: Courier = { poll: async () => ({ result: 'NOT_TRACKED' }) };

/** Hours after the dispatch at which a parcel ending in 1 is scanned; one ending in 2 takes three times as long. */
const ROUTE = [
  ['ACCEPTED', 0, '접수 지점'],
  ['IN_TRANSIT', 6, '중앙 허브'],
  ['OUT_FOR_DELIVERY', 20, '배달 지점'],
  ['DELIVERED', 24, '배달 지점'],
] as const;

/** Reads the number's last digit: 1 arrives in 24 hours, 2 in 72, 9 is unavailable, any other is never found. */
export const developmentCourier: Courier = {
  async poll({ trackingNumber, dispatchedAt, at }) {
    if (trackingNumber.endsWith('9')) return { result: 'UNAVAILABLE' };
    const pace = { 1: 1, 2: 3 }[trackingNumber.at(-1)!];
    if (pace === undefined) return { result: 'NOT_FOUND' };
    const scans = ROUTE.map(([stage, hours, location]): Scan => ({ stage, at: dispatchedAt + hours * pace * HOUR, location }));
    return { result: 'FOUND', scans: scans.filter((scan) => scan.at <= at) };
  },
};
