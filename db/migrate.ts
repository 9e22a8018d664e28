/** Migrations of roles and schema, as the owner of the tables; several processes may run them concurrently. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Constructor, type MigrationObject, MikroORM } from '@mikro-orm/postgresql';
import { Migration, Migrator } from '@mikro-orm/migrations';
import { Client } from 'pg';
import { realClock as clock } from './kernel/clock.ts';
import { KEEPALIVE, MIGRATION_SETTINGS, startOptions } from './kernel/connection.ts';
import { maintainPartitions } from './kernel/partitions.ts';
import { ensureRoles, type Logins } from './roles.ts';

const FOLDER = join(import.meta.dirname, 'migrations');
/** A migration; the other files of the folder are what migrations share. */
const NUMBERED = /^\d{4}_\w+\.ts$/;
const MIGRATION_LOCK = 7_265_001;
/** Below idle_session_timeout. */
const HEARTBEAT_MS = 5000;

/**
 * The migrations of the folder, in the order of their numbers; the database records each by the name of its file. MikroORM's own discovery
 * takes the first function that a file exports, a migration or not.
 */
export async function migrations(): Promise<MigrationObject[]> {
  const files = readdirSync(FOLDER).filter((file) => NUMBERED.test(file));
  return Promise.all(
    files.toSorted().map(async (file) => {
      const exported = Object.values((await import(pathToFileURL(join(FOLDER, file)).href)) as object);
      const [found, ...others] = exported.filter(isMigration);
      if (!found || others.length > 0) throw new Error(`${file} has not one migration`);
      return { name: file.slice(0, -'.ts'.length), class: found };
    }),
  );
}
const isMigration = (value: unknown): value is Constructor<Migration> =>
  typeof value === 'function' && value.prototype instanceof Migration;

/**
 * Migrates a database to the newest schema; idempotent. The owner need not be a superuser: CREATEROLE and ownership of the database
 * suffice. `logins`: URLs whose passwords the login roles get.
 */
export async function migrate(databaseUrl: string, logins: Logins | null = null): Promise<void> {
  const owner = new Client({ ...KEEPALIVE, connectionString: databaseUrl, options: startOptions(MIGRATION_SETTINGS) });
  let lost: Error | undefined;
  owner.on('error', (error) => (lost = error));
  await owner.connect();
  const heartbeat = setInterval(() => void owner.query('SELECT 1').catch(() => {}), HEARTBEAT_MS);
  try {
    // Waits for another migration without a timeout; later lock waits have one, because everybody else queues behind them.
    await owner.query('SET lock_timeout = 0');
    await owner.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await owner.query('RESET lock_timeout');
    await ensureRoles(owner, logins);
    const orm = await MikroORM.init({
      clientUrl: databaseUrl,
      entities: [],
      logger: () => {},
      discovery: { warnWhenNoEntities: false },
      extensions: [Migrator],
      driverOptions: { ...KEEPALIVE, options: startOptions(MIGRATION_SETTINGS) },
      migrations: { migrationsList: await migrations(), snapshot: false, transactional: true },
    });
    await orm.migrator.up().finally(() => orm.close());
    await maintainPartitions(owner, clock.now());
  } catch (error) {
    throw lost ?? error;
  } finally {
    clearInterval(heartbeat);
    await owner.end();
  }
}
