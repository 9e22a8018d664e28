import { randomBytes } from 'node:crypto';
import { id as makeId, type IdPrefix } from '../../domain/kernel/ids.ts';

/** The real clock, injected. Business time is real time plus the store's offset. Milliseconds. */
export interface Clock {
  now(): number;
}
export const realClock: Clock = { now: () => Date.now() };

/** The time of a change: business time (`at`) and real time. Milliseconds. */
export interface Moment {
  readonly at: number;
  readonly realNow: number;
}

/** A new id with the timestamp `at`, in milliseconds. */
export const newId = (prefix: IdPrefix, at: number): string => makeId(prefix, at, randomBytes(10));
