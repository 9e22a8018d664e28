import { expect, test } from '@jest/globals';
import { Verified } from '../../../api/callers/verified.ts';

test('it knows a token for the address that it was verified for, and no other', () => {
  const verified = new Verified<number>();
  verified.add('a.b.c', 'api', 1);
  expect([verified.find('a.b.c', 'api'), verified.find('a.b.c', 'mcp'), verified.find('a.b.d', 'api')]).toEqual([1, undefined, undefined]);
});

test('it holds 5,000 tokens, and forgets the oldest', () => {
  const verified = new Verified<number>();
  for (let n = 0; n <= 5000; n++) verified.add(`token ${n}`, 'api', n);
  expect([0, 1, 5000].map((n) => verified.find(`token ${n}`, 'api'))).toEqual([undefined, 1, 5000]);
});
