// Runs on whatever Node the machine ships: installs the locked packages when they are missing or stale,
// then hands over to the Node that the project pins. Prints nothing on stdout.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

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
  diagrams: 'bin/diagrams.ts',
  docs: 'bin/docs.ts',
  pictures: 'bin/pictures.ts',
  hooks: 'bin/dev/hooks.ts',
  'record:examples': 'test/system/contract/recordExamples.ts',
  'record:histories': 'test/histories/record.ts',
  faults: 'test/faults/main.ts',
  deliveries: 'test/faults/deliveries.ts',
  stress: 'test/stress/main.ts',
  bench: 'bench/main.ts',
  test: 'bin/test.ts',
  check: 'bin/check.ts',
};

const [command = '', ...args] = process.argv.slice(2);
const entry = entries[command];
if (entry === undefined) fail(`Unknown command ${command}. One of: ${Object.keys(entries).join(', ')}.`);

const { flags, workerEnvironment } = JSON.parse(readFileSync(join(root, 'bin/kernel/memory.json'), 'utf8'));
const isBounded = command === 'api' || command === 'worker';
// They, and the simulator, join the development system that runs here.
const isJoining = isBounded || command === 'simulator';
const options = [...(isBounded ? flags : []), ...(isJoining ? ['--import', pathToFileURL(join(root, 'bin/dev/join.ts')).href] : [])];

install();
const child = spawn(join(root, 'node_modules/.bin/node'), [...options, join(root, entry), ...args], {
  stdio: 'inherit',
  cwd: root,
  env: {
    // Every process that this one starts loads its modules without compiling them again: half of a start's work.
    NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compile'),
    ...process.env,
    NODE_NO_WARNINGS: '1',
    ...(command === 'worker' && workerEnvironment),
  },
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));

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
