/** Whose turn it is among the transitions of a process (activities/kernel/places.ts). */
import { expect, test } from '@jest/globals';
import { mock } from 'node:test';
import { setImmediate as settled } from 'node:timers/promises';
import { DelayedTurn, Places, PLACES } from '../../../activities/kernel/places.ts';

const ALONE = 12;

/** Places whose clock stands still unless it is moved, and in which work lasts until it is ended. */
class Trial {
  at = 0;
  readonly places: Places;
  readonly begun: string[] = [];
  readonly delayed: string[] = [];
  readonly #ends: { readonly name: string; readonly end: () => void }[] = [];

  constructor(waitMs = 60_000) {
    this.places = new Places({ now: () => this.at }, waitMs, { pressure: 1 });
  }
  /** Asks for a place; the store is the name's first letter. */
  request(name: string, priority = 2, isAwaited = true): void {
    const work = () => {
      this.begun.push(name);
      return new Promise<void>((resolve) => this.#ends.push({ name, end: resolve }));
    };
    this.places.take({ storeId: name[0]!, priority, isAwaited }, work).catch((error: unknown) => {
      if (!(error instanceof DelayedTurn)) throw error;
      this.delayed.push(name);
    });
  }
  requestMany(store: string, count: number): void {
    for (let n = 0; n < count; n++) this.request(`${store}${n}`);
  }
  /** Ends the work that began first, of one store or of any. */
  async end(count: number, store = ''): Promise<void> {
    for (let n = 0; n < count; n++) {
      const i = this.#ends.findIndex(({ name }) => name.startsWith(store));
      this.#ends.splice(i, 1)[0]!.end();
      await settled();
    }
  }
  /** Uses places of a store, in a moment, as if for so long. */
  async use(store: string, ms: number): Promise<void> {
    const work = this.places.take({ storeId: store, priority: 2, isAwaited: true }, async () => void (this.at += ms));
    await work;
  }
  /** Fills all places with the work of as many stores. */
  async fill(): Promise<void> {
    for (let n = 0; n < PLACES; n++) this.request(String.fromCodePoint('A'.codePointAt(0)! + n));
    await settled();
    expect(this.begun).toHaveLength(PLACES);
    this.begun.length = 0;
  }
}
/** More than a tenth of the places for a minute. */
const MUCH = 0.1 * PLACES * 60_000 + 1;

test('a store alone leaves places free for others, which begin at once', async () => {
  const trial = new Trial();
  trial.requestMany('a', 40);
  await settled();
  expect(trial.begun).toHaveLength(ALONE);
  trial.request('b');
  await settled();
  expect(trial.begun.at(-1)).toBe('b');
  await trial.end(40);
  expect(trial.begun).toHaveLength(41);
});

test('among others a store has three places, and pauses after each as long as all of them worked: half of the time is left to others', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const trial = new Trial();
    trial.request('b');
    trial.requestMany('a', 10);
    await settled();
    expect(trial.begun).toEqual(['b', 'a0', 'a1', 'a2']);
    trial.at += 10;
    await trial.end(3, 'a');
    expect(trial.begun).toHaveLength(4);
    mock.timers.tick(29);
    await settled();
    expect(trial.begun).toHaveLength(4);
    trial.request('c');
    await settled();
    expect(trial.begun.at(-1)).toBe('c');
    mock.timers.tick(1);
    await settled();
    expect(trial.begun.slice(5)).toEqual(['a3', 'a4', 'a5']);
  } finally {
    mock.timers.reset();
  }
});

test('after what a timer does it pauses twice as long: nobody waits for that', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const trial = new Trial();
    trial.request('b');
    for (let n = 0; n < 4; n++) trial.request(`a${n}`, 2, false);
    await settled();
    trial.at += 10;
    await trial.end(3, 'a');
    mock.timers.tick(59);
    await settled();
    expect(trial.begun).toEqual(['b', 'a0', 'a1', 'a2']);
    mock.timers.tick(1);
    await settled();
    expect(trial.begun.at(-1)).toBe('a3');
  } finally {
    mock.timers.reset();
  }
});

test('payments go first, then stores with fewer places, each in the order of its own', async () => {
  const trial = new Trial();
  await trial.fill();
  for (const [name, priority] of [
    ['a1', 2],
    ['a2', 2],
    ['b1', 2],
    ['c4', 4],
    ['d1', 1],
    ['a3', 2],
  ] as const)
    trial.request(name, priority);
  await trial.end(6);
  expect(trial.begun).toEqual(['d1', 'a1', 'b1', 'a2', 'a3', 'c4']);
});

test('a store that used more than a tenth of the places for a minute has its turn after the others, until that is a minute ago', async () => {
  const trial = new Trial();
  await trial.use('a', MUCH);
  expect(trial.places.usesMuch('a')).toBe(true);
  await trial.fill();
  for (const name of ['a1', 'b1', 'b2']) trial.request(name, name.startsWith('a') ? 1 : 4);
  await trial.end(3);
  expect(trial.begun).toEqual(['b1', 'b2', 'a1']);
  trial.at += 60_000;
  expect(trial.places.usesMuch('a')).toBe(false);
  trial.begun.length = 0;
  for (const name of ['b3', 'a2']) trial.request(name, name.startsWith('a') ? 1 : 4);
  await trial.end(2);
  expect(trial.begun).toEqual(['a2', 'b3']);
});

test('a tenth is allowed, whoever else uses the places', async () => {
  const trial = new Trial();
  await trial.use('a', MUCH - 1);
  expect(trial.places.usesMuch('a')).toBe(false);
  await trial.use('b', MUCH);
  expect([trial.places.usesMuch('a'), trial.places.usesMuch('b')]).toEqual([false, true]);
});

test('a store that comes after the others is not starved: every eighth turn is the longest waiting one’s', async () => {
  const trial = new Trial();
  await trial.use('a', MUCH);
  await trial.fill();
  trial.request('a');
  for (let n = 0; n < 20; n++) trial.request(`b${n}`, 1);
  await trial.end(10);
  expect(trial.begun.slice(0, 8)).toContain('a');
});

test('whose turn does not come in time is put off with nothing begun, and takes no place later', async () => {
  const trial = new Trial(5);
  await trial.fill();
  trial.requestMany('a', 3);
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(trial.delayed).toEqual(['a0', 'a1', 'a2']);
  await trial.end(PLACES);
  expect(trial.begun).toEqual([]);
  await trial.fill();
});

test('of a store that uses much only so many wait: others find slots of the worker', async () => {
  const trial = new Trial();
  await trial.use('a', MUCH);
  await trial.fill();
  trial.requestMany('a', 40);
  trial.requestMany('b', 40);
  await settled();
  expect(trial.delayed).toHaveLength(40 - 24);
  expect(trial.delayed.every((name) => name.startsWith('a'))).toBe(true);
});

test('work that fails gives its place back, and counts', async () => {
  const trial = new Trial();
  for (let n = 0; n < 2 * PLACES; n++)
    await expect(
      trial.places.take({ storeId: 'a', priority: 1, isAwaited: true }, () => {
        trial.at += MUCH;
        return Promise.reject(new Error('no'));
      }),
    ).rejects.toThrow('no');
  expect(trial.places.usesMuch('a')).toBe(true);
  trial.request('a');
  await settled();
  expect(trial.begun).toEqual(['a']);
});

test('what a call’s outcome takes counts as the store’s', async () => {
  const trial = new Trial();
  await trial.places.metered('a', async () => void (trial.at += MUCH));
  expect(trial.places.usesMuch('a')).toBe(true);
});
