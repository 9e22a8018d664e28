import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { loadTokenKeys } from '../../api/kernel/tokens.ts';
import { root } from '../../bin/setup/paths.ts';
import { realClock } from '../../db/kernel/clock.ts';
import { roleUrl } from '../../db/kernel/config.ts';
import { createKeyring } from '../../db/kernel/keyring.ts';
import { openOrm } from '../../db/orm.ts';
import { query, underTest, world } from '../kernel/world.ts';

const keys = async (command: string, sealingKeys = underTest.env['SEALING_KEYS']!) => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'bin/keys.ts'), command], {
    env: { ...process.env, DATABASE_URL: underTest.databaseUrl, SEALING_KEYS: sealingKeys },
  });
  return stdout;
};
const kidOf = (token: string) => (JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString()) as { kid: string }).kid;

test('signing keys: next is published, then signs; what the one before it has signed stays valid', async () => {
  const orm = await openOrm(roleUrl(underTest.databaseUrl, 'sangjeom_app'), 2);
  const keyring = createKeyring(underTest.env['SEALING_KEYS']!);
  const load = () => loadTokenKeys(orm, keyring, underTest.api, realClock.now());
  const claims = { use: 'member', storeId: 's', customerId: 'c', clientId: null } as const;
  const before = await load();
  const old = await before.sign(claims, realClock.now());
  expect(await keys('signing')).toContain('is published');
  expect(await keys('signing')).toContain('less than two minutes ago');
  const published = await load();
  expect(published.jwks.keys.length).toBe(before.jwks.keys.length + 1);
  expect(kidOf(await published.sign(claims, realClock.now()))).toBe(kidOf(old));
  await query(`UPDATE signing_key SET created_at = created_at - interval '3 minutes' WHERE status = 'next'`);
  expect(await keys('signing')).toContain('signs from now on');
  const after = await load();
  const fresh = await after.sign(claims, realClock.now());
  expect(kidOf(fresh)).not.toBe(kidOf(old));
  // A process that has not reloaded yet knows the new key since it was published.
  expect([await after.verify(old, realClock.now()), await published.verify(fresh, realClock.now())]).toEqual([claims, claims]);
  await orm.close();
});

test('sealing keys: what an older key sealed is sealed anew, and opens without it afterwards', async () => {
  const shop = await world();
  const receiver = await shop.receiver();
  receiver.close();
  const old = underTest.env['SEALING_KEYS']!;
  const fresh = `fresh:${randomBytes(32).toString('base64')}`;
  expect(await keys('sealing', `${fresh},${old}`)).toMatch(/webhook\.secret_sealed: [1-9]/);
  const [row] = await query<{ secret_sealed: string }>('SELECT secret_sealed FROM webhook WHERE webhook_id = $1', [receiver.webhookId]);
  const place = { store: shop.store.storeId, table: 'webhook', row: receiver.webhookId, column: 'secret' };
  expect(createKeyring(fresh).open(row!.secret_sealed, place)).toBe(receiver.secret);
  expect(await keys('sealing', `${fresh},${old}`)).toContain('webhook.secret_sealed: 0');
  // Back, for the rest of the suite.
  await keys('sealing', `${old},${fresh}`);
});
