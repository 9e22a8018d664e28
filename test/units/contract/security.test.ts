import { expect, test } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../bin/kernel/paths.ts';

const page = readFileSync(join(root, 'docs/security.md'), 'utf8');
const HEADER = '| Promise | To whom | Test |\n|---|---|---|\n';
/** The rows of every table of promises. */
const rows = page
  .split(HEADER)
  .slice(1)
  .flatMap((table) => table.slice(0, table.search(/\n(?!\|)/)).split('\n'));
const HELD_BY = /^\| (.+?) \| (.+?) \| `([^`]+)` › (.+) \|$/;

test('every promise of docs/security.md names a test that is there', () => {
  const strays = rows.filter((row) => {
    const [, , , file = '', name = ''] = HELD_BY.exec(row) ?? [];
    return file === '' || !existsSync(join(root, file)) || !readFileSync(join(root, file), 'utf8').includes(name);
  });
  expect(rows.length).toBeGreaterThan(50);
  expect(strays).toEqual([]);
});

test('docs/security.md speaks to every rule from X1 to X26', () => {
  const named = new Set(
    [...page.matchAll(/\bX(\d+)(?:[–,] ?X(\d+))?/g)].flatMap(([, from, to]) => range(Number(from), Number(to ?? from))),
  );
  expect(range(1, 26).filter((n) => !named.has(n))).toEqual([]);
});
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
