/** The system under test: every process real, started once for the whole suite in a folder of its own. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../bin/dev/ports.ts';
import { startSystem, type System } from '../../bin/dev/system.ts';
import { temporalCli, temporalTestServer } from '../../bin/dev/temporal.ts';
import { startCollector } from './collector.ts';
import { workflowBundle } from '../../worker/bundle.ts';

const held = globalThis as { sangjeomSystem?: System; sangjeomDir?: string; sangjeomCollector?: Server };

/** What test files know of the system, handed over in the environment. */
export interface UnderTest {
  readonly api: string;
  readonly simulator: string;
  readonly databaseUrl: string;
  readonly temporalAddress: string;
  readonly env: Readonly<Record<string, string>>;
  readonly testServer: string;
  readonly cli: string;
  /** Where traces go; `GET /{traceId}` answers its spans. */
  readonly collector: string;
}

export async function setUp(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'sangjeom-test-'));
  // Postgres runs as a user of its own when we are root, and must get to its folder.
  chmodSync(dir, 0o755);
  const [testServer, cli] = [await temporalTestServer(), await temporalCli()];
  await workflowBundle();
  const collector = await startCollector();
  const system = await startSystem({
    dataDir: join(dir, 'data'),
    // Two suites that start in the same second look for ports in places of their own.
    port: await freePort(3900 + 20 * (process.pid % 50)),
    fresh: true,
    durable: false,
    env: {
      CHECK_REPLIES: 'true',
      RATE_LIMIT_PER_MINUTE: '1000000',
      LOG_LEVEL: 'info',
      // Only what asks for it is traced.
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER: 'parentbased_always_off',
      OTEL_BSP_SCHEDULE_DELAY: '200',
    },
  });
  Object.assign(held, { sangjeomSystem: system, sangjeomDir: dir, sangjeomCollector: collector.server });
  const { api, simulator, databaseUrl, temporalAddress, env } = system;
  const known: UnderTest = { api, simulator, databaseUrl, temporalAddress, env, testServer, cli, collector: collector.url };
  process.env['UNDER_TEST'] = JSON.stringify(known);
}

export async function tearDown(): Promise<void> {
  await held.sangjeomSystem?.stop();
  held.sangjeomCollector?.close();
  if (held.sangjeomDir && process.env['KEEP_TEST_DATA'] === undefined) rmSync(held.sangjeomDir, { recursive: true, force: true });
}
