/** Attempts in flight (activities/kernel/attempts.ts): what a receiver that hangs may hold. */
import { expect, test } from '@jest/globals';
import { setImmediate as settled } from 'node:timers/promises';
import { Attempts } from '../../../activities/kernel/attempts.ts';

const RETRIES_OF_STORE = 40;
const RETRIES = 400;

/** Attempts that hang until they are ended, under a clock that stands still unless it is moved. */
class Trial {
  at = 0;
  readonly attempts = new Attempts({ now: () => this.at });
  readonly #ends: (() => void)[] = [];
  begun = 0;
  readonly putOff: number[] = [];

  readonly #make = () => {
    this.begun++;
    return new Promise<void>((resolve) => this.#ends.push(resolve));
  };
  first(store: string): void {
    void this.attempts.makeFirst(store, this.#make);
  }
  retry(store: string, count = 1): void {
    for (let n = 0; n < count; n++) void this.attempts.makeRetry(store, this.#make, async (ms) => void this.putOff.push(ms));
  }
  async end(count: number): Promise<void> {
    for (const end of this.#ends.splice(0, count)) end();
    await settled();
  }
}

test('of a store so many retries are in flight, and others’ begin all the same', async () => {
  const trial = new Trial();
  trial.retry('a', 100);
  expect([trial.begun, trial.putOff.length]).toEqual([RETRIES_OF_STORE, 60]);
  trial.retry('b');
  expect(trial.begun).toBe(RETRIES_OF_STORE + 1);
  await trial.end(2);
  trial.retry('a', 5);
  expect(trial.begun).toBe(RETRIES_OF_STORE + 3);
});

test('retries of all stores together leave slots of the worker free, and however many stores have many, one more begins', () => {
  const trial = new Trial();
  for (let n = 0; n < 100; n++) {
    const { begun } = trial;
    trial.retry(`s${n}`, RETRIES_OF_STORE);
    if (n < 16) expect(trial.begun).toBeGreaterThan(begun);
  }
  expect(trial.begun).toBeLessThanOrEqual(RETRIES);
});

test('a store is told to be full at its limit, or where it has more than half of what is free for all', async () => {
  const trial = new Trial();
  const limit = { all: 100, perStore: 30 };
  const full = () => trial.attempts.first.full(limit);
  const begin = (store: string, count: number) => {
    for (let n = 0; n < count; n++) trial.first(store);
  };
  begin('a', 29);
  expect(full()).toEqual([]);
  begin('a', 1);
  expect(full()).toEqual(['a']);
  begin('b', 23);
  expect(full()).toEqual(['a']);
  begin('b', 1);
  // 46 are free.
  expect(full()).toEqual(['a', 'b']);
  begin('c', 10);
  expect(full()).toEqual(['a', 'b']);
  await trial.end(30);
  expect(full()).toEqual([]);
});

test('a first attempt begins, however many retries are in flight; the relay reads how many there are', async () => {
  const trial = new Trial();
  trial.retry('a', 100);
  for (let n = 0; n < 50; n++) trial.first('a');
  trial.first('b');
  expect(trial.begun).toBe(RETRIES_OF_STORE + 51);
  expect([trial.attempts.first.all, ...trial.attempts.first.byStore]).toEqual([51, ['a', 50], ['b', 1]]);
  await trial.end(1000);
  expect([trial.attempts.first.all, ...trial.attempts.first.byStore]).toEqual([0]);
});

test('what is put off comes again at the pace of a receiver that hangs, after half a minute and within ten', () => {
  const trial = new Trial();
  trial.retry('a', RETRIES_OF_STORE + 5000);
  expect(trial.putOff.slice(0, 3)).toEqual([30_000, 30_250, 30_500]);
  expect(Math.max(...trial.putOff)).toBe(600_000);
  trial.at += 601_000;
  trial.retry('a');
  expect(trial.putOff.at(-1)).toBe(30_000);
});

test('an attempt that fails no longer counts', async () => {
  const attempts = new Attempts();
  for (let n = 0; n < 2 * RETRIES_OF_STORE; n++)
    await expect(
      attempts.makeRetry(
        'a',
        () => Promise.reject(new Error('no')),
        () => Promise.reject(new Error('put off')),
      ),
    ).rejects.toThrow('no');
});

test('an attempt is made once at a time: who asks meanwhile gets its answer', async () => {
  const attempts = new Attempts();
  let made = 0;
  const make = async () => {
    await settled();
    return ++made;
  };
  expect(await Promise.all([attempts.once('k', make), attempts.once('k', make)])).toEqual([1, 1]);
  expect(await attempts.once('k', make)).toBe(2);
});

test('a process that stops waits for the attempts under way, whatever becomes of them', async () => {
  const trial = new Trial();
  const { attempts } = trial;
  let hasEnded = false;
  const ends: (() => void)[] = [];
  void attempts.once('k', () => new Promise<void>((resolve) => ends.push(resolve)));
  void attempts.once('l', () => new Promise((_, reject) => ends.push(() => reject(new Error('no'))))).catch(() => {});
  const ended = attempts.ended().then(() => (hasEnded = true));
  for (const end of ends) {
    await settled();
    expect(hasEnded).toBe(false);
    end();
  }
  await ended;
});
