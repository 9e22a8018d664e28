/** The system under test: every process real, started once for the whole suite in a folder of its own. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../bin/setup/ports.ts';
import { startSystem, type System } from '../../bin/setup/system.ts';
import { temporalCli, temporalTestServer } from '../../bin/setup/temporal.ts';
import { workflowBundle } from '../../worker/bundle.ts';

const held = globalThis as { sangjeomSystem?: System; sangjeomDir?: string };

/** What test files know of the system, handed over in the environment. */
export interface UnderTest {
  readonly api: string;
  readonly simulator: string;
  readonly databaseUrl: string;
  readonly temporalAddress: string;
  readonly env: Readonly<Record<string, string>>;
  readonly testServer: string;
  readonly cli: string;
}

export async function setUp(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'sangjeom-test-'));
  // Postgres runs as a user of its own when we are root, and must get to its folder.
  chmodSync(dir, 0o755);
  const [testServer, cli] = [await temporalTestServer(), await temporalCli()];
  await workflowBundle();
  const system = await startSystem({
    dataDir: join(dir, 'data'),
    port: await freePort(3900),
    fresh: true,
    durable: false,
    env: { CHECK_REPLIES: 'true', RATE_LIMIT_PER_MINUTE: '1000000', LOG_LEVEL: 'warn' },
  });
  Object.assign(held, { sangjeomSystem: system, sangjeomDir: dir });
  const { api, simulator, databaseUrl, temporalAddress, env } = system;
  const known: UnderTest = { api, simulator, databaseUrl, temporalAddress, env, testServer, cli };
  process.env['UNDER_TEST'] = JSON.stringify(known);
}

export async function tearDown(): Promise<void> {
  await held.sangjeomSystem?.stop();
  if (held.sangjeomDir && process.env['KEEP_TEST_DATA'] === undefined) rmSync(held.sangjeomDir, { recursive: true, force: true });
}
