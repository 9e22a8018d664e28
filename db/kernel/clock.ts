import { randomBytes } from 'node:crypto';
import { id as makeId, type IdPrefix } from '../../domain/kernel/ids.ts';

/** The real clock, injected wherever a process needs one. Business time is this plus the store's offset. */
export interface Clock {
  now(): number;
}
export const realClock: Clock = { now: () => Date.now() };

/** When something happens: the business time, and the real one. */
export interface Moment {
  readonly at: number;
  readonly realNow: number;
}

/** A fresh id whose age is the business time `at`. */
export const newId = (prefix: IdPrefix, at: number): string => makeId(prefix, at, randomBytes(10));
