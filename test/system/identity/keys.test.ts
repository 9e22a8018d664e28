import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { AUDIENCE } from '../../../domain/identity/rules.ts';
import { loadTokenKeys } from '../../../api/callers/tokens.ts';
import type { TokenKeys } from '../../../api/declare/tokens.ts';
import { root } from '../../../bin/kernel/paths.ts';
import { realClock } from '../../../db/kernel/clock.ts';
import { flowSecretLocation } from '../../../db/flows/secrets.ts';
import { createKeyring } from '../../../db/kernel/keyring.ts';
import { openOrm } from '../../../db/orm.ts';
import { migratedDatabase, roleUrl } from '../../kernel/database.ts';
import { query, underTest } from '../../kernel/world.ts';

const keys = async (command: string, sealingKeys = underTest.env['SEALING_KEYS']!, databaseUrl = underTest.databaseUrl) => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'bin/ops/keys.ts'), command], {
    env: { ...process.env, DATABASE_URL: databaseUrl, SEALING_KEYS: sealingKeys },
  });
  return stdout;
};
const opened: TokenKeys[] = [];
afterAll(() => opened.forEach((one) => one.close()));
const closedAtEnd = (loaded: TokenKeys): TokenKeys => {
  opened.push(loaded);
  return loaded;
};
const kidOf = (token: string) => (JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString()) as { kid: string }).kid;

test('a signing key is published before it signs, and verifies afterwards', async () => {
  const orm = await openOrm(roleUrl(underTest.databaseUrl, 'sangjeom_app'), 2);
  const keyring = createKeyring(underTest.env['SEALING_KEYS']!);
  const load = async () => closedAtEnd(await loadTokenKeys(orm, keyring, underTest.api, realClock.now()));
  const claims = { use: 'member', storeId: 's', customerId: 'c', clientId: null, generation: 0 } as const;
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

test('a token that has been verified before is judged anew by its time, its address and every part of it', async () => {
  const orm = await openOrm(roleUrl(underTest.databaseUrl, 'sangjeom_app'), 2);
  const now = realClock.now();
  const loaded = closedAtEnd(await loadTokenKeys(orm, createKeyring(underTest.env['SEALING_KEYS']!), underTest.api, now));
  const claims = { use: 'member', storeId: 's', customerId: 'c', clientId: null, generation: 0 } as const;
  const token = await loaded.sign(claims, now, 60);
  for (const at of [now, now + 59_000, now + 61_000, now]) {
    const isExpired = at > now + 60_000;
    expect(await loaded.read(token, at)).toEqual({ claims, isExpired });
    expect(await loaded.verify(token, at)).toEqual(isExpired ? null : claims);
  }
  expect(await loaded.read(token, now, 'https://elsewhere.example')).toBeNull();
  const [header, , signature] = token.split('.') as [string, string, string];
  const other = Buffer.from(JSON.stringify({ sub: 'x', use: 'member', store_id: 's', aud: AUDIENCE })).toString('base64url');
  expect(await loaded.read(`${header}.${other}.${signature}`, now)).toBeNull();
  await orm.close();
});

test('what an older sealing key sealed is sealed anew', async () => {
  // In a database of its own: the suite's processes do not know the new key.
  const url = await migratedDatabase('sealing');
  const client = new Client({ connectionString: url });
  await client.connect();
  const [old, fresh] = ['old', 'fresh'].map((kid) => `${kid}:${randomBytes(32).toString('base64')}`) as [string, string];
  const location = { store: 's', table: 'webhook', row: 'w', column: 'secret' };
  await client.query(`INSERT INTO store (store_id, store_code, name, sandbox, created_at) VALUES ('s', 's', 's', true, now())`);
  await client.query(
    `INSERT INTO webhook (store_id, webhook_id, url, event_types, status, secret_sealed, secret_prefix, created_at)
     VALUES ('s', 'w', 'https://x', '{}', 'ACTIVE', $1, 'whsec_x', now())`,
    [createKeyring(old).seal('the secret', location)],
  );
  const connection = flowSecretLocation('s', 'issuer');
  await client.query(
    `INSERT INTO flow_secret (store_id, name, url, header_name, value_sealed, updated_at)
      VALUES ('s', 'issuer', 'https://x', 'X-Key', $1, now())`,
    [createKeyring(old).seal('the value', connection)],
  );
  expect(await keys('sealing', `${fresh},${old}`, url)).toMatch(/webhook\.secret_sealed: 1[^]*flow_secret\.value_sealed: 1/);
  const { rows } = await client.query<{ secret_sealed: string }>('SELECT secret_sealed FROM webhook');
  expect(createKeyring(fresh).open(rows[0]!.secret_sealed, location)).toBe('the secret');
  const { rows: connections } = await client.query<{ value_sealed: string }>('SELECT value_sealed FROM flow_secret');
  expect(createKeyring(fresh).open(connections[0]!.value_sealed, connection)).toBe('the value');
  expect(await keys('sealing', `${fresh},${old}`, url)).toContain('webhook.secret_sealed: 0');
  await client.end();
});

test('a process that cannot open a new key goes on with those that it has', async () => {
  const orm = await openOrm(roleUrl(underTest.databaseUrl, 'sangjeom_app'), 2);
  const claims = { use: 'member', storeId: 's', customerId: 'c', clientId: null, generation: 0 } as const;
  const known = createKeyring(underTest.env['SEALING_KEYS']!);
  let isBlind = false;
  const keyring = {
    ...known,
    open: (sealed: string, location: Parameters<typeof known.open>[1]) => {
      if (isBlind) throw new Error('No sealing key');
      return known.open(sealed, location);
    },
  };
  const loaded = closedAtEnd(await loadTokenKeys(orm, keyring, underTest.api, realClock.now() - 60_000));
  isBlind = true;
  const header = Buffer.from(JSON.stringify({ alg: 'RS256', kid: 'unknown', typ: 'at+jwt' })).toString('base64url');
  // An unknown key id asks for a reload, which fails.
  expect(await loaded.verify(`${header}.e30.AAAA`, realClock.now())).toBeNull();
  expect(await loaded.verify(await loaded.sign(claims, realClock.now()), realClock.now())).toEqual(claims);
  await orm.close();
});
