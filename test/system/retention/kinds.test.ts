/** The table of what ends (X26): README shows it, and nothing that ends is missing. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../../../bin/kernel/paths.ts';
import { KINDS } from '../../../db/retention/kinds.ts';
import { DAY, HOUR } from '../../../domain/kernel/time.ts';
import { query } from '../../kernel/world.ts';

test('README shows the table of kinds as it is', () => {
  const shown = [
    ...readFileSync(join(root, 'README.md'), 'utf8').matchAll(
      /^\| `(\w+)` *\| ([^|]+?) *\| (\d+ (?:hour|days?)|–) *\| (real|store) *\|$/gm,
    ),
  ];
  const kept = (ms: number) => (ms === 0 ? '–' : ms === HOUR ? '1 hour' : ms === DAY ? '1 day' : `${ms / DAY} days`);
  expect(shown.map(([, ...cells]) => cells)).toEqual(KINDS.map(({ name, what, keptMs, clock }) => [name, what, kept(keptMs), clock]));
  const { keptMs } = KINDS.find(({ name }) => name === 'payments')!;
  expect([keptMs > 92 * DAY, keptMs < 119 * DAY]).toEqual([true, true]);
});

/** What is shown after its end. */
const KEPT = ['api_token', 'invitation'];
test('whatever expires is swept, but for what people still see', async () => {
  const left = await query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'expires_at'
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND NOT has_table_privilege('sangjeom_sweeper', c.oid, 'DELETE') ORDER BY 1`,
  );
  expect(left.map(({ name }) => name)).toEqual(KEPT);
});
