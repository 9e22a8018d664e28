/** Korea's holidays: what a new database knows, and the operator's command that replaces a year. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { root } from '../../../bin/kernel/paths.ts';
import { readHolidays } from '../../../db/flows/holidays.ts';
import { NO_STORE } from '../../../db/kernel/tenancy.ts';
import { inTenant, realTime, REQUEST } from '../../../db/kernel/tx.ts';
import { withOrm } from '../../../db/orm.ts';
import { HOLIDAYS } from '../../../db/migrations/0035_holidays.ts';
import { migratedDatabase, roleUrl } from '../../kernel/database.ts';

let databaseUrl: string;
beforeAll(async () => {
  databaseUrl = await migratedDatabase('holidays');
});

async function command(
  args: readonly string[],
  lines: readonly unknown[] = [],
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [join(root, 'bin/ops/store.ts'), 'holidays', ...args], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
  });
  child.stdin.end(lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  const [out, err, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ]);
  return { code, out, err };
}
/** As a transaction of the API or the worker reads them. */
const known = () =>
  withOrm(roleUrl(databaseUrl, 'sangjeom_app'), 1, (orm) =>
    inTenant(orm, realTime(NO_STORE, 0), REQUEST, async (tx) => {
      const days = await readHolidays(tx);
      expect(await readHolidays({ ...tx })).toBe(days);
      return [...days];
    }),
  );
const days = Object.values(HOLIDAYS).flatMap((year) => Object.keys(year));

test('a new database knows 2026 and 2027', async () => {
  expect(await known()).toEqual(days);
  const { out } = await command([]);
  expect(out.trim().split('\n')).toHaveLength(days.length);
  expect(JSON.parse(out.split('\n')[0]!)).toEqual({ day: '2026-01-01', name: '1월 1일' });
});

test('a year is replaced by what comes in, the others stay', async () => {
  const temporary = { day: '2027-10-05', name: '임시공휴일' };
  const lines = (await command([])).out.split('\n').filter((line) => line.includes('"2027-'));
  const { code, out } = await command(['--year', '2027'], [...lines, temporary, '']);
  expect([code, JSON.parse(out)]).toEqual([0, { year: 2027, version: 2, days: lines.length + 1 }]);
  expect(await known()).toEqual([...days, temporary.day].toSorted());
  expect(JSON.parse((await command(['--year', '2028'], [{ day: '2028-02-29', name: 'x' }])).out)).toEqual({
    year: 2028,
    version: 1,
    days: 1,
  });
  expect(await known()).toEqual([...days, temporary.day, '2028-02-29'].toSorted());
  expect(JSON.parse((await command(['--year', '2027'], lines)).out)).toMatchObject({ version: 3 });
  expect(await known()).toEqual([...days, '2028-02-29'].toSorted());
});

test.each([
  ['--year is a year', '27', [{ day: '2027-01-01', name: 'x' }]],
  ['No line came in', '2029', ['']],
  [
    'Line 2 is not',
    '2029',
    [
      { day: '2029-01-01', name: 'x' },
      { day: '2028-01-01', name: 'another year' },
    ],
  ],
  ['Line 1 is not', '2029', [{ day: '2029-02-29', name: 'no such day' }]],
  ['Line 1 is not', '2029', [{ day: '2029-01-01' }]],
  ['Line 1 is not', '2029', ['{']],
  [
    'comes twice',
    '2029',
    [
      { day: '2029-01-01', name: 'x' },
      { day: '2029-01-01', name: 'y' },
    ],
  ],
])('%s: nothing is replaced', async (message, year, lines) => {
  const before = await known();
  const { code, err } = await command(['--year', year], lines);
  expect([code, err]).toEqual([1, expect.stringContaining(message)]);
  expect(await known()).toEqual(before);
});

test('the processes that work for shops read them and cannot change them', async () => {
  const client = new Client({ connectionString: roleUrl(databaseUrl, 'sangjeom_app') });
  await client.connect();
  for (const change of [
    'DELETE FROM holiday_year',
    "UPDATE holiday_year SET days = '{}'",
    'INSERT INTO holiday_year SELECT * FROM holiday_year',
  ])
    await expect(client.query(change)).rejects.toThrow('permission denied');
  await client.end();
});
