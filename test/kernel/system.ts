/** The system under test: real processes, started once for the whole suite in a temporary folder. */
import type { Server } from 'node:http';
import { Client } from 'pg';
import { announce } from '../../bin/dev/developmentSystem.ts';
import type { System } from '../../bin/dev/system.ts';
import { temporalCli, temporalTestServer } from '../../bin/dev/temporal.ts';
import { temporarySystem } from '../../bin/dev/temporary.ts';
import { migrate } from '../../db/migrate.ts';
import { startCollector } from './collector.ts';
import { startStoreService } from './storeService.ts';
import { workflowBundle } from '../../worker/bundle.ts';

const held = globalThis as { sangjeomSystem?: System; sangjeomServices?: readonly Server[] };

/** What test files get through the environment: the system's folder and further services of the tests. */
export interface Handed {
  readonly dataDir: string;
  readonly testServer: string;
  readonly cli: string;
  /** The trace collector's URL; `GET /{traceId}` returns its spans. */
  readonly collector: string;
  /** The URL of the service that makes stores. */
  readonly stores: string;
  /** A database with the newest schema, to make copies of: nobody connects to it. */
  readonly migrated: string;
}

export async function setUp(): Promise<void> {
  // A suite that is started by a test uses that test's system.
  if (process.env['UNDER_TEST'] !== undefined) return;
  const [testServer, cli, collector] = await Promise.all([temporalTestServer(), temporalCli(), startCollector()]);
  const system = await temporarySystem('test', {
    // Two suites that start at once search from different ports.
    firstPort: 3900 + 20 * (process.pid % 50),
    durable: false,
    beforeProcesses: workflowBundle(),
    retainsData: process.env['KEEP_TEST_DATA'] !== undefined,
    env: {
      CHECK_REPLIES: 'true',
      RATE_LIMIT_PER_MINUTE: '1000000',
      LOG_LEVEL: 'info',
      // Only requests with a traceparent are traced.
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER: 'parentbased_always_off',
      OTEL_BSP_SCHEDULE_DELAY: '200',
    },
  });
  const [stores, migrated] = await Promise.all([startStoreService(system), migratedOnce(system.databaseUrl)]);
  Object.assign(held, { sangjeomSystem: system, sangjeomServices: [collector.server, stores.server] });
  announce(system, {});
  const handed: Handed = { dataDir: system.dataDir, testServer, cli, collector: collector.url, stores: stores.url, migrated };
  process.env['UNDER_TEST'] = JSON.stringify(handed);
}

async function migratedOnce(databaseUrl: string): Promise<string> {
  const database = `migrated_${process.pid}`;
  const owner = new Client({ connectionString: databaseUrl });
  await owner.connect();
  await owner.query(`CREATE DATABASE ${database}`);
  await owner.end();
  const url = new URL(databaseUrl);
  url.pathname = `/${database}`;
  await migrate(url.href);
  return database;
}

export async function tearDown(): Promise<void> {
  for (const server of held.sangjeomServices ?? []) {
    server.close();
    server.closeAllConnections();
  }
  await held.sangjeomSystem?.stop();
}
