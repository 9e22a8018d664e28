/** A store has ten external calls in flight, and sixty a minute; the others wait in the order in which they asked. */
import { expect, test } from '@jest/globals';
import { CALLS_A_MINUTE, CALLS_IN_FLIGHT, turnAt } from '../../../domain/flows/run/turns.ts';
import { MINUTE, SECOND } from '../../../domain/kernel/time.ts';

const NOW = Date.UTC(2026, 10, 26);
const idle = { now: NOW, begun: [], inFlight: 0, ahead: 0 };
const begun = (n: number, since = 0) => Array.from({ length: n }, (_, i) => NOW - MINUTE + 1 + since + i);

test('ten go at once, the eleventh waits', () => {
  expect(turnAt({ ...idle, inFlight: CALLS_IN_FLIGHT - 1 })).toBeNull();
  expect(turnAt({ ...idle, inFlight: CALLS_IN_FLIGHT })).toBe(NOW + 5 * SECOND);
});
test('sixty go in a minute; the next when the oldest of them is a minute old', () => {
  expect(turnAt({ ...idle, begun: begun(CALLS_A_MINUTE - 1) })).toBeNull();
  const full = begun(CALLS_A_MINUTE, 20_000);
  expect(turnAt({ ...idle, begun: full })).toBe(full[0]! + MINUTE);
  expect(turnAt({ ...idle, begun: full, ahead: 3 })).toBe(full[3]! + MINUTE);
  expect(turnAt({ ...idle, begun: full, ahead: CALLS_A_MINUTE + 3 })).toBe(full[3]! + 2 * MINUTE);
});
test('who has waited goes first', () => {
  expect(turnAt({ ...idle, inFlight: 8, ahead: 1 })).toBeNull();
  expect(turnAt({ ...idle, inFlight: 8, ahead: 2 })).not.toBeNull();
});
test('a thousand that wait do not all ask at once, and each asks within minutes', () => {
  const times = Array.from({ length: 1000 }, (_, ahead) =>
    turnAt({ ...idle, begun: begun(CALLS_A_MINUTE), inFlight: CALLS_IN_FLIGHT, ahead })!,
  );
  expect(times.every((at) => at > NOW)).toBe(true);
  expect(Math.max(...times)).toBeLessThanOrEqual(NOW + 18 * MINUTE);
  for (let minute = 1; minute < 17; minute++)
    expect(times.filter((at) => at > NOW + minute * MINUTE && at <= NOW + (minute + 1) * MINUTE).length).toBeLessThanOrEqual(
      2 * CALLS_A_MINUTE,
    );
});
