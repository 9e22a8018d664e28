/** Roles and schema. The owner's DATABASE_URL suffices; several processes may do this at once. */
import { MikroORM } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';
import { Client, escapeLiteral } from 'pg';
import { realClock as clock } from './kernel/clock.ts';
import { roleUrl, type Role } from './kernel/config.ts';
import { KEEPALIVE, MIGRATION_SETTINGS, ROLE_SETTINGS, type Settings, startOptions } from './kernel/connection.ts';
import { Thread0001 } from './migrations/0001_thread.ts';
import { Breadth0002 } from './migrations/0002_breadth.ts';
import { Traces0003 } from './migrations/0003_traces.ts';
import { Identity0004 } from './migrations/0004_identity.ts';
import { Clients0005 } from './migrations/0005_clients.ts';
import { Catalog0006 } from './migrations/0006_catalog.ts';
import { Orders0007 } from './migrations/0007_orders.ts';
import { Deliveries0008 } from './migrations/0008_deliveries.ts';
import { ClientsOfAStore0009 } from './migrations/0009_clients_of_a_store.ts';
import { Limits0012 } from './migrations/0012_limits.ts';
import { Numbers0013 } from './migrations/0013_numbers.ts';
import { Bounds0014 } from './migrations/0014_bounds.ts';
import { keepPartitions } from './kernel/partitions.ts';

const MIGRATIONS = [
  Thread0001,
  Breadth0002,
  Traces0003,
  Identity0004,
  Clients0005,
  Catalog0006,
  Orders0007,
  Deliveries0008,
  ClientsOfAStore0009,
  Limits0012,
  Numbers0013,
  Bounds0014,
];
const MIGRATION_LOCK = 7_265_001;
/** More often than an idle session is ended. */
const HEARTBEAT_MS = 5000;

/** Brings a database to the newest schema; does nothing when it is there already. */
export async function migrate(databaseUrl: string): Promise<void> {
  const owner = new Client({ ...KEEPALIVE, connectionString: databaseUrl, options: startOptions(MIGRATION_SETTINGS) });
  let lost: Error | undefined;
  owner.on('error', (error) => (lost = error));
  await owner.connect();
  const heartbeat = setInterval(() => void owner.query('SELECT 1').catch(() => {}), HEARTBEAT_MS);
  try {
    // Another migration may take long: it is waited for. What is waited for afterwards holds up everybody else.
    await owner.query('SET lock_timeout = 0');
    await owner.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await owner.query('RESET lock_timeout');
    await roles(owner, databaseUrl);
    const orm = await MikroORM.init({
      clientUrl: databaseUrl,
      entities: [],
      logger: () => {},
      discovery: { warnWhenNoEntities: false },
      extensions: [Migrator],
      driverOptions: { ...KEEPALIVE, options: startOptions(MIGRATION_SETTINGS) },
      migrations: { migrationsList: MIGRATIONS, snapshot: false, transactional: true },
    });
    await orm.migrator.up().finally(() => orm.close());
    await keepPartitions(owner, clock.now());
  } catch (error) {
    throw lost ?? error;
  } finally {
    clearInterval(heartbeat);
    await owner.end();
  }
}

/** `sangjeom_app` and `sangjeom_relay` log in, `sangjeom_lookup` and `sangjeom_sweeper` only own functions. None bypasses row security. */
async function roles(owner: Client, databaseUrl: string): Promise<void> {
  const login = (role: Role) => `LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD ${escapeLiteral(new URL(roleUrl(databaseUrl, role)).password)}`;
  const wanted = {
    sangjeom_app: login('sangjeom_app'),
    sangjeom_relay: login('sangjeom_relay'),
    sangjeom_lookup: 'NOLOGIN NOSUPERUSER NOBYPASSRLS',
    sangjeom_sweeper: 'NOLOGIN NOSUPERUSER NOBYPASSRLS',
  };
  for (const [role, options] of Object.entries(wanted)) {
    const { rowCount } = await owner.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role]);
    await owner.query(`${rowCount ? 'ALTER' : 'CREATE'} ROLE ${role} ${options}`);
    await owner.query(`GRANT USAGE ON SCHEMA public TO ${role}`);
  }
  for (const [role, settings] of Object.entries(ROLE_SETTINGS)) await keepSettings(owner, role, settings);
  for (const role of ['sangjeom_lookup', 'sangjeom_sweeper']) {
    await owner.query(`GRANT ${role} TO CURRENT_USER`);
    await owner.query(`GRANT CREATE ON SCHEMA public TO ${role}`);
  }
}

/** They hold for every session that the role opens from now on (X18). What is as it should be is not written again. */
async function keepSettings(owner: Client, role: string, wanted: Settings): Promise<void> {
  const { rows } = await owner.query<{ setting: string }>(
    `SELECT unnest(setconfig) AS setting FROM pg_db_role_setting WHERE setrole = $1::regrole AND setdatabase = 0`,
    [role],
  );
  const known = new Set(rows.map(({ setting }) => setting));
  for (const [name, value] of Object.entries(wanted))
    if (!known.has(`${name}=${value}`)) await owner.query(`ALTER ROLE ${role} SET ${name} = ${escapeLiteral(value)}`);
}
