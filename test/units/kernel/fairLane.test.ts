/** Fair turns by address and store (docs/decisions.md#x12). */
import { expect, test } from '@jest/globals';
import { FairLane } from '../../../api/web/fairLane.ts';
import { Fault } from '../../../domain/kernel/errors.ts';

const never = new AbortController().signal;
const soon = () => new Promise((resolve) => setImmediate(resolve));
const PLACES = { slots: 4, ofStore: 2, storeLine: 3, ofAddress: 1, addressLine: 2, waiting: 100, waitMs: 60_000 };

/** Asks as `address@store`; records who is under way. */
function requests(lane: FairLane, gone = never) {
  const underWay: string[] = [];
  const ends: (() => void)[] = [];
  const refused: string[] = [];
  const send = (name: string) => {
    const [address = '', store = ''] = name.split('@');
    const work = () =>
      new Promise<void>((resolve) => {
        underWay.push(name);
        ends.push(() => {
          underWay.splice(underWay.indexOf(name), 1);
          resolve();
        });
      });
    return lane.run({ address, store, gone }, work).catch((error: unknown) => {
      refused.push(`${name}: ${error instanceof Fault ? error.code : 'gone'}`);
    });
  };
  return { underWay, refused, send, end: () => ends.shift()!() };
}

test('a crowd from one address fills its own line, in however many stores, and another address has its turn at once', async () => {
  const { underWay, refused, send } = requests(new FairLane('test', PLACES));
  for (let i = 0; i < 10; i++) void send(`crowd@shop${i}`);
  await soon();
  expect([underWay, refused.length]).toEqual([['crowd@shop0'], 7]);
  void send('buyer@shop0');
  await soon();
  expect(underWay).toEqual(['crowd@shop0', 'buyer@shop0']);
});

test('a crowd from many addresses in one store fills its line, and another store has its turn at once', async () => {
  const { underWay, refused, send, end } = requests(new FairLane('test', PLACES));
  for (let i = 0; i < 10; i++) void send(`crowd${i}@full`);
  await soon();
  expect([underWay, refused.length]).toEqual([['crowd0@full', 'crowd1@full'], 5]);
  void send('buyer@shop');
  await soon();
  expect(underWay).toContain('buyer@shop');
  expect(new Set(refused.map((one) => one.split(': ')[1]))).toEqual(new Set(['TOO_MANY_REQUESTS']));
  end();
  await soon();
  expect(underWay).toContain('crowd2@full');
});

test('no more than its slots are under way, whoever asks, and stores come in turn', async () => {
  const { underWay, send, end } = requests(new FairLane('test', PLACES));
  for (const store of ['a', 'b', 'c', 'd']) for (let i = 0; i < 3; i++) void send(`${store}${i}@${store}`);
  await soon();
  expect(underWay.map((name) => name.at(-1))).toEqual(['a', 'a', 'b', 'b']);
  end();
  await soon();
  expect(underWay).toHaveLength(4);
  expect(underWay.at(-1)).toBe('c0@c');
});

test('what fails, and who hangs up, gives its place back', async () => {
  const lane = new FairLane('test', { ...PLACES, slots: 1 });
  await expect(lane.run({ address: 'a', store: 's', gone: never }, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  const gone = new AbortController();
  const { send, end, underWay } = requests(lane);
  const leaver = requests(lane, gone.signal);
  void send('a@s');
  await soon();
  void leaver.send('b@s');
  await soon();
  gone.abort();
  await soon();
  expect(leaver.refused).toEqual(['b@s: gone']);
  void send('b@s');
  end();
  await soon();
  expect(underWay).toEqual(['b@s']);
});
