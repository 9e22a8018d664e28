/**
 * Installs the pinned version of Temporal in the user's cache folder. The first source that works: an explicit path, `temporal` of this
 * version on PATH, the SDK's download, the package registries (Go for the CLI, Maven for the time-skipping server).
 */
import { execFile, spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { searchAttributes } from '../../workflows/kernel/attributes.ts';
import { obtain } from './obtain.ts';
import { UserError, printProgress, withProgress } from '../kernel/cli.ts';

const CLI_VERSION = '1.8.2';
const TEST_SERVER_VERSION = '1.39.0';

const execute = promisify(execFile);
const tools = fileURLToPath(new URL('../../tools/', import.meta.url));
const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'sangjeom');
const DOWNLOAD_MS = 20_000;

/** Path of the `temporal` command, version 1.8.2. */
export async function temporalCli(): Promise<string> {
  const explicit = process.env['TEMPORAL_CLI'];
  if (explicit) return existing(explicit, 'TEMPORAL_CLI');
  const onPath = (process.env['PATH'] ?? '').split(delimiter).map((dir) => join(dir, 'temporal'));
  for (const path of onPath) if (existsSync(path) && (await isRightCli(path))) return path;

  const home = join(cache, `temporal-cli-${CLI_VERSION}-${process.platform}-${process.arch}`);
  const cached = join(home, 'temporal');
  if (existsSync(cached)) {
    if (await isRightCli(cached)) return cached;
    printProgress(`The cached ${cached} is damaged: it is removed and obtained again.`);
    rmSync(home, { recursive: true, force: true });
  }
  await obtain(home, async (dir) => {
    if (await downloaded('dev-server', dir, 'temporal')) return;
    await buildCli(join(dir, 'temporal'));
  });
  return cached;
}

/** Path of the time-skipping test server's start script. */
export async function temporalTestServer(): Promise<string> {
  const explicit = process.env['TEMPORAL_TEST_SERVER'];
  if (explicit) return existing(explicit, 'TEMPORAL_TEST_SERVER');
  const home = join(cache, `temporal-test-server-${TEST_SERVER_VERSION}-${process.platform}-${process.arch}`);
  const cached = join(home, 'test-server');
  if (existsSync(cached)) {
    const jars = join(home, 'lib');
    if (!existsSync(jars) || readdirSync(jars).some((jar) => jar.startsWith('temporal-test-server'))) return cached;
    printProgress(`The cached ${home} is damaged: it is removed and obtained again.`);
    rmSync(home, { recursive: true, force: true });
  }
  await obtain(home, async (dir) => {
    if (await downloaded('time-skipping', dir, 'test-server')) return;
    await copyTestServerJars(dir);
  });
  return cached;
}

function existing(path: string, variable: string): string {
  if (!existsSync(path)) throw new UserError(`${variable} names ${path}, which does not exist: correct it or unset it.`);
  return path;
}

async function isRightCli(path: string): Promise<boolean> {
  const { stdout } = await execute(path, ['--version'], { timeout: 20_000 }).catch(() => ({ stdout: '' }));
  return stdout.includes(CLI_VERSION);
}

/** Lets the SDK download and unpack the server; gives up after 20 seconds when its site is out of reach. */
async function downloaded(kind: 'dev-server' | 'time-skipping', dir: string, name: string): Promise<boolean> {
  const script = fileURLToPath(new URL('./downloadTemporal.ts', import.meta.url));
  printProgress(`Trying the SDK's download of the Temporal ${kind} (at most 20 s) …`);
  const folder = join(dir, 'download');
  mkdirSync(folder);
  const child = spawn(process.execPath, [script, kind, folder, CLI_VERSION], { stdio: 'ignore' });
  const timer = setTimeout(() => child.kill('SIGKILL'), DOWNLOAD_MS);
  const code = await new Promise((resolve) => child.once('exit', resolve));
  clearTimeout(timer);
  const binary = readdirSync(folder).find((file) => !file.endsWith('.downloading'));
  const works = code === 0 && binary !== undefined;
  if (works) {
    renameSync(join(folder, binary), join(dir, name));
    chmodSync(join(dir, name), 0o755);
  }
  rmSync(folder, { recursive: true, force: true });
  return works;
}

async function buildCli(target: string): Promise<void> {
  await needs('go', ['version'], 'Go 1.26 or newer');
  const build = execute(
    'go',
    [
      'build',
      '-trimpath',
      '-ldflags',
      `-s -w -X github.com/temporalio/cli/internal/temporalcli.Version=${CLI_VERSION}`,
      '-o',
      target,
      'github.com/temporalio/cli/cmd/temporal',
    ],
    { cwd: join(tools, 'temporal-cli'), env: { ...process.env, CGO_ENABLED: '0' }, maxBuffer: 1 << 26 },
  );
  await withProgress(`Building the Temporal server ${CLI_VERSION} from the Go registry (once, 3 to 5 minutes)`, build);
}

async function copyTestServerJars(dir: string): Promise<void> {
  await needs('java', ['-version'], 'a Java runtime, 17 or newer');
  await needs('mvn', ['-version'], 'Maven 3.8 or newer');
  const copy = execute(
    'mvn',
    ['-q', '-B', 'dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${join(dir, 'lib')}`],
    { cwd: join(tools, 'temporal-test-server'), maxBuffer: 1 << 26 },
  );
  await withProgress(`Fetching the time-skipping Temporal server ${TEST_SERVER_VERSION} (once, under a minute)`, copy);
  cpSync(join(tools, 'temporal-test-server', 'test-server'), join(dir, 'test-server'));
  chmodSync(join(dir, 'test-server'), 0o755);
}

async function needs(tool: string, args: string[], what: string): Promise<void> {
  await execute(tool, args).catch(() => {
    throw new UserError(`Temporal cannot be obtained here without ${what}: install it, or set TEMPORAL_CLI and TEMPORAL_TEST_SERVER.`);
  });
}

const devServerTuning: readonly string[] = [
  ...['journal_mode=wal', 'synchronous=normal', 'cache_size=-65536', 'wal_autocheckpoint=4000'].flatMap((pragma) => [
    '--sqlite-pragma',
    pragma,
  ]),
  ...[
    'history.transferProcessorMaxPollRPS=5000',
    'history.timerProcessorMaxPollRPS=5000',
    'history.maxInFlightUpdates=100',
    'system.enableActivityEagerExecution=true',
    // Stores take turns: without it the fairness keys of starts (workflows/kernel/start.ts) have no effect.
    'matching.enableFairness=true',
    // Visibility is updated once a second: a workflow that starts and completes meanwhile is written once.
    'history.visibilityProcessorMaxPollRPS=1',
    'history.visibilityTaskBatchSize=1000',
    // Completed tasks are removed soon: they are scanned with every new one.
    'history.transferProcessorUpdateAckInterval="5s"',
    'history.timerProcessorUpdateAckInterval="5s"',
    'history.visibilityProcessorUpdateAckInterval="5s"',
  ].flatMap((setting) => ['--dynamic-config-value', setting]),
];

/** The dev server's database; SQLite has further files beside it. */
export const temporalDatabase = (dataDir: string): string => join(dataDir, 'temporal.db');

/** Flags of the dev server. The poll rates avoid a wait of 50 ms for every task; WAL preserves commits when it is killed. */
export function devServerArguments(options: { db: string; port: number; uiPort: number }): string[] {
  return [
    'server',
    'start-dev',
    '--ip',
    '127.0.0.1',
    '--port',
    String(options.port),
    '--ui-port',
    String(options.uiPort),
    '--db-filename',
    options.db,
    '--log-level',
    'warn',
    ...devServerTuning,
    // The flag spells types like `Keyword`.
    ...searchAttributes.flatMap(({ name, type }) => ['--search-attribute', `${name}=${type.charAt(0)}${type.slice(1).toLowerCase()}`]),
  ];
}
