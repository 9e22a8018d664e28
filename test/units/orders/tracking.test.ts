import { describe, expect, test } from '@jest/globals';
import { DAY, HOUR, MINUTE } from '../../../domain/kernel/time.ts';
import { afterReading, beginTracking, type TrackingReading } from '../../../domain/orders/tracking.ts';

const READINGS: readonly (readonly [string, TrackingReading | null])[] = [
  ['knows nothing', { result: 'NOT_FOUND' }],
  ['is out of reach', { result: 'UNAVAILABLE' }],
  ['loses every answer', null],
  ['tells of a parcel that never arrives', { result: 'FOUND', scans: [{ stage: 'IN_TRANSIT', at: 0, location: null }] }],
];

/** The times of all polls of a shipment, each of which has this reading. */
function pollTimes(since: number, reading: TrackingReading | null): number[] {
  const times: number[] = [];
  let tracking = beginTracking(since);
  while (tracking.nextAt !== null && times.length < 100_000) {
    times.push(tracking.nextAt);
    tracking = afterReading(tracking, reading, tracking.nextAt);
  }
  return times;
}

describe('a courier', () => {
  test.each(READINGS)('that %s is asked for thirty days at most', (_, reading) => {
    const times = pollTimes(5 * HOUR, reading);
    expect(times[0]).toBe(5 * HOUR);
    expect(times.at(-1)).toBeLessThanOrEqual(5 * HOUR + 30 * DAY);
    expect(times.at(-1)).toBeGreaterThan(5 * HOUR + 29 * DAY);
  });
  test('is asked again a minute after an answer that was lost, else every four hours of the shipment', () => {
    const tracking = beginTracking(0);
    expect(afterReading(tracking, null, 0).nextAt).toBe(MINUTE);
    expect(afterReading(tracking, { result: 'NOT_FOUND' }, MINUTE).nextAt).toBe(4 * HOUR);
  });
});
