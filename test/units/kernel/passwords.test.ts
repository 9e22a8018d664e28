import { expect, test } from '@jest/globals';
import { hashNewPassword, hashOrderPassword } from '../../../api/callers/passwords.ts';

const never = new AbortController().signal;
const requester = (clientAddress: string, storeId: string) => ({ clientAddress, storeId, gone: () => never });

test.each([
  ['order passwords', hashOrderPassword],
  ['passwords of sign-ups', hashNewPassword],
])('%s: a crowd from one address, or in one store, delays another’s by its turn alone', async (_, hashed) => {
  let done = 0;
  const one = (address: string, store: string) => hashed('a password', requester(address, store)).then(() => ++done);
  const crowd = [...Array.from({ length: 20 }, () => one('a', 's')), ...Array.from({ length: 20 }, (__, i) => one(`a${i}`, 's'))];
  const [neighbour, other] = [await one('b', 't'), await one('b', 't')];
  // Turn by turn the 3rd and 6th of 42, in one line the last ones; a busy machine's threads do not end in order.
  expect([neighbour < 20, other < 30]).toEqual([true, true]);
  await Promise.all(crowd);
});
