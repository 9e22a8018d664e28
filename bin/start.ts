/** `npm start`: the whole system on this machine, with two stores to try. `-- --fresh` begins anew. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { CreatedStore } from '../db/identity/createStore.ts';
import { announce, defaultDataDir } from './dev/developmentSystem.ts';
import { run, printProgress } from './kernel/cli.ts';
import { peopleOf, seedMembers } from './dev/people.ts';
import { makeStore, useSimulatorIn } from './ops/store/make.ts';
import { startSystem, type System } from './dev/system.ts';

await run(async () => {
  const { values } = parseArgs({ options: { fresh: { type: 'boolean', default: false } } });
  const dir = defaultDataDir();
  let stores: CreatedStore[] = [];
  const write = (system: System) => stores.length > 0 && printSummary(system, stores);
  let stopping = false;
  let stopAll = async (): Promise<void> => {};
  const stop = async () => {
    // Ctrl-C arrives twice: from the terminal, which signals the whole process group, and from the bootstrap, which forwards it.
    if (stopping) return;
    stopping = true;
    printProgress('\nStopping …');
    // A migration whose connection is closed throws; ignored while stopping.
    process.on('uncaughtException', () => {});
    await stopAll();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop());
  const port = Number(process.env['PORT'] ?? 3000);
  const system = await startSystem({
    dataDir: dir,
    port,
    fresh: values.fresh,
    durable: true,
    onChange: write,
    onStarting: (stopSystem) => {
      stopAll = stopSystem;
    },
  });
  try {
    stores = await developmentStores(dir, system);
  } catch (error) {
    await system.stop();
    throw error;
  }
  write(system);
  print(system, stores[0]!);
});

/** The stores `demo` and `rival`, created once; their secrets are stored in the data folder, because Postgres has only hashes. */
async function developmentStores(dir: string, { databaseUrl, env }: System): Promise<CreatedStore[]> {
  const file = join(dir, 'stores.json');
  const stores = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as CreatedStore[]) : [];
  const wanted = [
    { code: 'demo', name: '데모 상점' },
    { code: 'rival', name: '라이벌 상점' },
  ];
  for (const store of wanted.slice(stores.length)) {
    stores.push(await makeStore(databaseUrl, { ...store, sandbox: true, withProduct: true, mayExist: true }, env['SEALING_KEYS']));
    writeFileSync(file, JSON.stringify(stores), { mode: 0o600 });
  }
  await useSimulatorIn(
    databaseUrl,
    stores.map(({ storeId }) => storeId),
    env['SEALING_KEYS']!,
  );
  for (const { storeId, storeCode } of stores) await seedMembers(databaseUrl, storeId, peopleOf(storeCode));
  return stores;
}

function printSummary(system: System, stores: readonly CreatedStore[]): void {
  announce(system, {
    processes: system.processes().filter(({ name }) => name !== 'simulator'),
    stores,
    users: stores.flatMap(({ storeCode }) => peopleOf(storeCode).map((person) => ({ ...person, storeCode }))),
  });
}

function print(system: System, demo: CreatedStore): void {
  const rows = [
    ['API', system.api],
    ['Temporal UI', system.temporalUi ?? system.temporalAddress],
    ['Mail outbox', `${system.simulator}/__sim/mail`],
    ['Demo store', demo.storeCode],
    ['Client id', demo.clientId],
    ['Client secret', demo.clientSecret],
  ];
  const width = Math.max(...rows.map(([name]) => name!.length));
  const token = `curl -s -u ${demo.clientId}:${demo.clientSecret} -d grant_type=client_credentials ${system.api}/oauth2/token`;
  printProgress(`\n${rows.map(([name, value]) => `  ${name!.padEnd(width)}  ${value}`).join('\n')}\n`);
  printProgress(
    `  curl -s -H "Authorization: Bearer $(${token} | sed 's/.*"access_token":"\\([^"]*\\).*/\\1/')" ${system.api}/v1/products\n`,
  );
  printProgress('  Ctrl-C stops everything; the data stays. `npm start -- --fresh` begins anew.');
}
