/** Roles and schema. Only this logs in as the owner of the tables; several processes may do it at once. */
import { MikroORM } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';
import { Client } from 'pg';
import { realClock as clock } from './kernel/clock.ts';
import { KEEPALIVE, MIGRATION_SETTINGS, startOptions } from './kernel/connection.ts';
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
import { Operator0015 } from './migrations/0015_operator.ts';
import { Consents0016 } from './migrations/0016_consents.ts';
import { SearchPath0017 } from './migrations/0017_search_path.ts';
import { ProductTotals0018 } from './migrations/0018_product_totals.ts';
import { Subscriptions0019 } from './migrations/0019_subscriptions.ts';
import { keepPartitions } from './kernel/partitions.ts';
import { keepRoles, type Logins } from './roles.ts';

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
  Operator0015,
  Consents0016,
  SearchPath0017,
  ProductTotals0018,
  Subscriptions0019,
];
const MIGRATION_LOCK = 7_265_001;
/** More often than an idle session is ended. */
const HEARTBEAT_MS = 5000;

/**
 * Brings a database to the newest schema; does nothing when it is there already. The owner need not be a superuser: CREATEROLE and
 * the database suffice. With `logins` the roles get the passwords of these URLs.
 */
export async function migrate(databaseUrl: string, logins: Logins | null = null): Promise<void> {
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
    await keepRoles(owner, logins);
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
