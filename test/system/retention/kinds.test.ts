/** The table of what ends: nothing that ends is missing. The page that shows it: test/units/docs/operations.test.ts. */
import { expect, test } from '@jest/globals';
import { query } from '../../kernel/world.ts';

/** What is shown after its end; the ledger of points goes with its member. */
const RETAINED = ['api_token', 'invitation', 'point_history', 'point_lot'];
test('whatever expires is swept, but for what people still see', async () => {
  const left = await query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'expires_at'
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND NOT has_table_privilege('sangjeom_sweeper', c.oid, 'DELETE') ORDER BY 1`,
  );
  expect(left.map(({ name }) => name)).toEqual(RETAINED);
});
