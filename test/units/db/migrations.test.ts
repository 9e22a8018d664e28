/** Which files `npm run migrate` carries out (db/migrate.ts). */
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from '@jest/globals';
import { migrations } from '../../../db/migrate.ts';

/** Files of the folder that migrations share. */
const SHARED = new Set(['auditing', 'sweeping', 'tenancy']);

test('every migration of the folder is carried out once, in the order of its number, which is no other’s', async () => {
  const found = (await migrations()).map(({ name }) => name);
  const files = globSync('db/migrations/*').map((file) => basename(file, '.ts'));
  expect(found).toEqual(files.filter((file) => !SHARED.has(file)).toSorted());
  const numbers = found.map((name) => name.slice(0, 4));
  expect(numbers.filter((number, i) => numbers.indexOf(number) < i)).toEqual([]);
});
