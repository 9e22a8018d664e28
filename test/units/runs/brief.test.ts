/** The bound of brief calls. */
import { expect, test } from '@jest/globals';
import { atMost } from '../../../activities/kernel/brief.ts';
import type { Call } from '../../../workflows/kernel/messages.ts';

const call = {} as Call;

test('of brief calls so many are made at a time; what is more is not begun', async () => {
  const ends: (() => void)[] = [];
  let begun = 0;
  const made = () => {
    begun++;
    return new Promise<object>((resolve) => ends.push(() => resolve({})));
  };
  const { first, second } = atMost(2, { first: made, second: made });
  const underWay = [first!(call), second!(call)];
  expect([await first!(call), await second!(call), begun]).toEqual([null, null, 2]);
  ends[0]!();
  await underWay[0];
  const third = first!(call);
  expect([await second!(call), begun]).toEqual([null, 3]);
  for (const end of ends) end();
  expect(await Promise.all([...underWay, third])).toEqual([{}, {}, {}]);
});

test('a brief call that fails gives its place back', async () => {
  const { fail } = atMost(1, { fail: () => Promise.reject(new Error('x')) });
  for (let tries = 0; tries < 2; tries++) await expect(fail!(call)).rejects.toThrow('x');
});
