/** What a migration makes of an empty database, and of one that is there already. */
import { expect, test } from '@jest/globals';
import { Client } from 'pg';
import { migrate } from '../../../db/migrate.ts';
import { createDatabase } from '../../kernel/database.ts';

/**
 * Tables of no store: people and their logins, what is counted over all stores, keys, holidays, Temporal's database, the migrations
 * themselves.
 */
const OF_NO_STORE = [
  'auth_code',
  'consent_request',
  'holiday_year',
  'invitation_send',
  'login',
  'login_request',
  'mikro_orm_migrations',
  'rate_limit',
  'refresh_token',
  'signing_key',
  'temporal_namespace',
  'user_account',
];

const empty = async (): Promise<{ url: string; client: Client }> => {
  const url = await createDatabase('migrations');
  const client = new Client({ connectionString: url });
  await client.connect();
  return { url, client };
};

/** Every object of the schema as the very row that it was made as, and which migrations ran when. */
async function state(client: Client): Promise<object> {
  const rows = async (query: string) => (await client.query<{ row: string }>(query)).rows.map(({ row }) => row);
  const inSchema = (catalogue: string, namespace: string) =>
    rows(`SELECT oid || ' ' || xmin || ' ' || ctid || ' ' || x::text AS row FROM ${catalogue} x
      WHERE ${namespace} = 'public'::regnamespace ORDER BY oid`);
  return {
    relations: await rows(
      `SELECT oid || ' ' || relname || ' ' || relacl::text AS row FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY oid`,
    ),
    functions: await inSchema('pg_proc', 'pronamespace'),
    constraints: await inSchema('pg_constraint', 'connamespace'),
    policies: await rows('SELECT oid || xmin::text || p::text AS row FROM pg_policy p ORDER BY oid'),
    ran: await rows('SELECT m::text AS row FROM mikro_orm_migrations m ORDER BY id'),
  };
}

test('an empty database gets every table of a store with forced row security', async () => {
  const { url, client } = await empty();
  try {
    await migrate(url);
    const { rows } = await client.query<{ name: string; forced: boolean; has_store: boolean }>(
      `SELECT relname AS name, relrowsecurity AND relforcerowsecurity AS forced,
         EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = c.oid AND attname = 'store_id' AND NOT attisdropped) AS has_store
       FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') ORDER BY relname COLLATE "C"`,
    );
    expect(rows.filter(({ has_store }) => !has_store).map(({ name }) => name)).toEqual(OF_NO_STORE);
    expect(rows.filter(({ has_store, forced }) => has_store !== forced)).toEqual([]);
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(['store', 'product', 'orders', 'payment', 'event_first', 'run']));
  } finally {
    await client.end();
  }
}, 60_000);

test('the caller of a function with more rights cannot replace its tables', async () => {
  const { url, client } = await empty();
  try {
    await client.query('GRANT CREATE ON SCHEMA public TO PUBLIC');
    await migrate(url);
    const { rows } = await client.query<{ name: string }>(
      `SELECT oid::regprocedure::text AS name FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosecdef
         AND ('search_path=public, pg_temp' = ANY (proconfig)) IS NOT TRUE`,
    );
    expect(rows).toEqual([]);
    const may = await client.query(`SELECT has_schema_privilege('sangjeom_app', 'public', 'CREATE') AS make`);
    expect(may.rows).toEqual([{ make: false }]);
  } finally {
    await client.end();
  }
}, 60_000);

test('a database that is migrated again stays what it is', async () => {
  const { url, client } = await empty();
  try {
    await Promise.all([migrate(url), migrate(url)]);
    const before = await state(client);
    await migrate(url);
    await Promise.all([migrate(url), migrate(url)]);
    expect(await state(client)).toEqual(before);
  } finally {
    await client.end();
  }
}, 60_000);
