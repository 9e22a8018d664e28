/** Roles and schema. The owner's DATABASE_URL suffices; several processes may do this at once. */
import { MikroORM } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';
import { Client, escapeLiteral } from 'pg';
import { realClock as clock } from './kernel/clock.ts';
import { roleUrl, type Role } from './kernel/config.ts';
import { Thread0001 } from './migrations/0001_thread.ts';
import { Breadth0002 } from './migrations/0002_breadth.ts';
import { Traces0003 } from './migrations/0003_traces.ts';
import { Identity0004 } from './migrations/0004_identity.ts';
import { Clients0005 } from './migrations/0005_clients.ts';
import { Catalog0006 } from './migrations/0006_catalog.ts';
import { Orders0007 } from './migrations/0007_orders.ts';
import { Deliveries0008 } from './migrations/0008_deliveries.ts';
import { Bounds0014 } from './migrations/0014_bounds.ts';
import { keepPartitions } from './kernel/partitions.ts';

const MIGRATIONS = [Thread0001, Breadth0002, Traces0003, Identity0004, Clients0005, Catalog0006, Orders0007, Deliveries0008, Bounds0014];
const MIGRATION_LOCK = 7_265_001;

/** Brings a database to the newest schema; does nothing when it is there already. */
export async function migrate(databaseUrl: string): Promise<void> {
  const owner = new Client({ connectionString: databaseUrl });
  await owner.connect();
  try {
    await owner.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await roles(owner, databaseUrl);
    const orm = await MikroORM.init({
      clientUrl: databaseUrl,
      entities: [],
      logger: () => {},
      discovery: { warnWhenNoEntities: false },
      extensions: [Migrator],
      migrations: { migrationsList: MIGRATIONS, snapshot: false, transactional: true },
    });
    await orm.migrator.up();
    await orm.close();
    await keepPartitions(owner, clock.now());
  } finally {
    await owner.end();
  }
}

/** `sangjeom_app` and `sangjeom_relay` log in, `sangjeom_lookup` only owns functions. None bypasses row security. */
async function roles(owner: Client, databaseUrl: string): Promise<void> {
  const login = (role: Role) => `LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD ${escapeLiteral(new URL(roleUrl(databaseUrl, role)).password)}`;
  const wanted = {
    sangjeom_app: login('sangjeom_app'),
    sangjeom_relay: login('sangjeom_relay'),
    sangjeom_lookup: 'NOLOGIN NOSUPERUSER NOBYPASSRLS',
  };
  for (const [role, options] of Object.entries(wanted)) {
    const { rowCount } = await owner.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role]);
    await owner.query(`${rowCount ? 'ALTER' : 'CREATE'} ROLE ${role} ${options}`);
    await owner.query(`GRANT USAGE ON SCHEMA public TO ${role}`);
  }
  await owner.query('GRANT sangjeom_lookup TO CURRENT_USER');
  await owner.query('GRANT CREATE ON SCHEMA public TO sangjeom_lookup');
}
