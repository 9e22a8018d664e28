import { expect, test } from '@jest/globals';
import { isReadableBy } from '../../../domain/inquiries/rules.ts';

test('a secret inquiry is read by its author alone, any other by everybody', () => {
  const readers = ['cus_author', 'cus_other', null];
  const secret = { customerId: 'cus_author', isSecret: true };
  expect(readers.map((reader) => isReadableBy(secret, reader))).toEqual([true, false, false]);
  expect(readers.map((reader) => isReadableBy({ ...secret, isSecret: false }, reader))).toEqual([true, true, true]);
});
