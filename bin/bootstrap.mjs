// Runs on whatever Node the machine ships: installs the locked packages when they are missing or stale,
// then hands over to the Node that the project pins. Prints nothing on stdout.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const entries = {
  start: 'bin/start.ts',
  api: 'api/main.ts',
  worker: 'worker/main.ts',
  simulator: 'simulator/main.ts',
  migrate: 'bin/ops/migrate.ts',
  store: 'bin/ops/store.ts',
  keys: 'bin/ops/keys.ts',
  support: 'bin/ops/support.ts',
  demo: 'bin/demo.ts',
  faults: 'test/faults/main.ts',
  deliveries: 'test/faults/deliveries.ts',
  bench: 'bench/main.ts',
  test: 'bin/test.ts',
  check: 'bin/check.ts',
};

const [command = '', ...args] = process.argv.slice(2);
const entry = entries[command];
if (entry === undefined) fail(`Unknown command ${command}. One of: ${Object.keys(entries).join(', ')}.`);

// Bounded heaps: without them V8 keeps what it once needed, and a worker grows past half a gigabyte (measured).
const heap = command === 'api' || command === 'worker' ? ['--max-old-space-size=192', '--max-semi-space-size=12'] : [];

install();
const child = spawn(join(root, 'node_modules/.bin/node'), [...heap, join(root, entry), ...args], {
  stdio: 'inherit',
  cwd: root,
  env: { ...developmentEnvironment(), ...process.env, NODE_NO_WARNINGS: '1', ...(command === 'worker' && { MALLOC_ARENA_MAX: '2' }) },
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));

/** A single process without places of its own joins the development system that runs here. */
function developmentEnvironment() {
  const file = join(resolve(root, process.env['DATA_DIR'] ?? '.data'), 'env.json');
  const isOne = command === 'api' || command === 'worker' || command === 'simulator';
  return isOne && process.env['APP_DATABASE_URL'] === undefined && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

function install() {
  const stamp = join(root, 'node_modules/.installed');
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  process.stderr.write('Installing the locked packages (once, about a minute) …\n');
  // Not `npm ci`: it refuses a lockfile without the optional packages of other platforms, which a registry may lack.
  const npm = spawnSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (npm.status !== 0) fail('`npm install` failed: see its message above, check the network, and run the command again.');
  writeFileSync(stamp, wanted);
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
