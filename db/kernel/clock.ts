import { randomFillSync } from 'node:crypto';
import { id as makeId, type IdPrefix } from '../../domain/kernel/ids.ts';

/** The real clock, injected. Business time is real time plus the store's offset. Milliseconds. */
export interface Clock {
  now(): number;
}
/** Milliseconds that only grow, of no business time. */
export interface MonotonicClock {
  now(): number;
}
export const realClock: Clock = { now: () => Date.now() };

/** The time of a change: business time (`at`) and real time. Milliseconds. */
export interface Moment {
  readonly at: number;
  readonly realNow: number;
}

const ID_BYTES = 10;
/** Random bytes are taken many at a time: a call of the generator costs more than an id. */
const pool = new Uint8Array(400 * ID_BYTES);
let used = pool.length;
function randomId(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += ID_BYTES;
  return pool.subarray(used - ID_BYTES, used);
}

/** A new id with the timestamp `at`, in milliseconds. */
export const newId = (prefix: IdPrefix, at: number): string => makeId(prefix, at, randomId());
