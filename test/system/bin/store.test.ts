/** The command that makes stores, as an operator runs it. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { Seller } from '../../../bin/dev/client.ts';
import { root } from '../../../bin/kernel/paths.ts';
import type { CreatedStore } from '../../../db/identity/createStore.ts';
import { query, underTest } from '../../kernel/world.ts';

let made = 0;
const newCode = () => `cli-${Date.now().toString(36)}-${made++}`;
async function create(...args: readonly string[]): Promise<CreatedStore> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'bin/ops/store.ts'), 'create', ...args], {
    env: { ...process.env, DATABASE_URL: underTest.databaseUrl },
  });
  return JSON.parse(stdout) as CreatedStore;
}

test.each([
  [[], 1000],
  [['--ai-actions', '7'], 7],
  [['--ai-actions', '0'], 0],
])('with %j a store has %i AI actions a month', async (args, limit) => {
  const seller = await Seller.login(underTest.api, await create('--code', newCode(), '--sandbox', ...args));
  const { body } = await seller.call('GET', '/v1/store/subscription');
  expect(body.data).toMatchObject({ aiActions: limit, aiActionsLimit: limit, aiActionsUsed: 0 });
});

test.each(['-1', '1.5', 'many', '', '1000000000'])('%j is no number of AI actions: no store is made', async (number) => {
  const code = newCode();
  await expect(create('--code', code, `--ai-actions=${number}`)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('whole number'),
  });
  expect(await query('SELECT 1 FROM store WHERE store_code = $1', [code])).toEqual([]);
});
