/** Who may log in as what: processes that work for shops are bound by row security, and know when they are not. */
import { expect, test } from '@jest/globals';
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from 'pg';
import { root } from '../../../bin/kernel/paths.ts';
import { checkLogin } from '../../../db/roles.ts';
import { freePort } from '../../../bin/dev/ports.ts';
import { createDatabase, roleUrl } from '../../kernel/database.ts';
import { query, underTest } from '../../kernel/world.ts';

const loginError = async (url: string): Promise<string> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await checkLogin(async (sql) => (await client.query<object>(sql)).rows, 'sangjeom_app', 'APP_DATABASE_URL');
    return 'works';
  } catch (error) {
    return (error as Error).message;
  } finally {
    await client.end();
  }
};

test('a process works with the login of its role alone', async () => {
  const database = await createDatabase('logins');
  const password = randomBytes(12).toString('hex');
  const made: string[] = [];
  const login = async (options: string, after: (name: string, owner: Client) => Promise<unknown> = () => Promise.resolve()) => {
    const name = `login_${randomBytes(4).toString('hex')}`;
    await query(`CREATE ROLE ${name} LOGIN PASSWORD '${password}' ${options}`);
    made.push(name);
    const owner = new Client({ connectionString: database });
    await owner.connect();
    await after(name, owner);
    await owner.end();
    const url = new URL(database);
    [url.username, url.password] = [name, password];
    return url.href;
  };
  const mine = (name: string, owner: Client) => owner.query(`CREATE TABLE ${name} (); ALTER TABLE ${name} OWNER TO ${name}`);
  const member = (name: string, owner: Client) => owner.query(`GRANT ${made[0]} TO ${name}`);
  expect(await loginError(await login('', mine))).toContain('owns tables');
  // Who may become the owner is no better than the owner.
  expect(await loginError(await login('', member))).toContain('owns tables');
  expect(await loginError(await login('SUPERUSER'))).toContain('is a superuser');
  expect(await loginError(await login('BYPASSRLS'))).toContain('bypasses row-level security');
  expect(await loginError(await login(''))).toContain('is another role');
  expect(await loginError(roleUrl(database, 'sangjeom_relay'))).toMatch(
    /^APP_DATABASE_URL must log in as sangjeom_app: sangjeom_relay is another role/,
  );
  expect(await loginError(roleUrl(database, 'sangjeom_app'))).toBe('works');
  expect(await loginError(`${roleUrl(database, 'sangjeom_app')}?options=-c%20idle_in_transaction_session_timeout%3D0`)).toContain(
    'npm run migrate',
  );
  const owner = new Client({ connectionString: database });
  await owner.connect();
  for (const name of made.toReversed()) await owner.query(`DROP OWNED BY ${name}; DROP ROLE ${name}`);
  await owner.end();
}, 60_000);

test('no process starts as the owner of the database', async () => {
  for (const [entry, variable] of [
    ['api/main.ts', 'APP_DATABASE_URL'],
    ['worker/main.ts', 'APP_DATABASE_URL'],
    ['worker/main.ts', 'RELAY_DATABASE_URL'],
  ] as const) {
    const child = fork(join(root, entry), [], {
      env: { ...process.env, ...underTest.env, PORT: String(await freePort(23_500)), [variable]: underTest.databaseUrl },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    const stderr = text(child.stderr!);
    const code = await new Promise((resolve) => child.once('exit', resolve));
    expect([variable, code, await stderr]).toEqual([variable, 1, expect.stringContaining(`${variable} must log in as`)]);
  }
}, 60_000);

test('the roles have passwords of their own', () => {
  const [app, relay] = (['sangjeom_app', 'sangjeom_relay'] as const).map((role) => new URL(roleUrl(underTest.databaseUrl, role)).password);
  expect([app, relay]).toEqual([expect.stringMatching(/^[0-9a-f]{48}$/), expect.stringMatching(/^[0-9a-f]{48}$/)]);
  expect(app).not.toBe(relay);
  expect(underTest.env['DATABASE_URL']).toBeUndefined();
});

test('a role that may put temporary tables in the place of real ones reads nothing by a function of more rights', async () => {
  for (const [role, table, statement] of [
    ['sangjeom_app', 'payment', `SELECT order_no_taken('1')`],
    ['sangjeom_relay', 'upload', `SELECT lookup_uploads(ARRAY['a/b'])`],
  ] as const) {
    const client = new Client({ connectionString: roleUrl(underTest.databaseUrl, role) });
    await client.connect();
    try {
      await client.query('CREATE TEMP TABLE loot (reader text); GRANT ALL ON loot TO PUBLIC');
      await client.query(`CREATE FUNCTION pg_temp.steal() RETURNS text LANGUAGE plpgsql
        AS $$ BEGIN INSERT INTO pg_temp.loot VALUES (current_user); RETURN 'x'; END $$`);
      await client.query(`CREATE TEMP VIEW ${table} AS SELECT pg_temp.steal() AS order_no, 'x' AS store_id, 'y' AS upload_id`);
      await client.query(`GRANT ALL ON pg_temp.${table} TO PUBLIC`);
      await client.query(statement);
      expect([role, (await client.query('SELECT * FROM loot')).rows]).toEqual([role, []]);
    } finally {
      await client.end();
    }
  }
});

test('no function of more rights is public or reads temporary tables first', async () => {
  const functions = await query<{ name: string; path: string | null; isPublic: boolean }>(
    `SELECT p.oid::regprocedure::text AS name, (SELECT c FROM unnest(proconfig) c WHERE c LIKE 'search_path=%') AS path,
       EXISTS (SELECT 1 FROM aclexplode(coalesce(proacl, acldefault('f', proowner))) a WHERE a.grantee = 0) AS "isPublic"
     FROM pg_proc p WHERE pronamespace = 'public'::regnamespace AND prosecdef`,
  );
  expect(functions.length).toBeGreaterThan(40);
  expect(functions.filter(({ path, isPublic }) => path !== 'search_path=public, pg_temp' || isPublic)).toEqual([]);
  expect(
    await query(
      `SELECT 1 FROM pg_namespace n, aclexplode(nspacl) a WHERE nspname = 'public' AND a.grantee = 0 AND a.privilege_type = 'CREATE'`,
    ),
  ).toEqual([]);
});
