/** The API process of `npm run bench -- --request-log`: with the log of management requests, or (`--without`) as if there were none. */
import { Recorder } from '../api/apiRequestLogs/recorder.ts';
import { buildApp } from '../api/app.ts';
import { createLoginProvider } from '../api/identity/loginProvider.ts';
import { loadTokenKeys } from '../api/callers/tokens.ts';
import { realClock as clock } from '../db/kernel/clock.ts';
import { readConfig } from '../db/kernel/config.ts';
import { createKeyring } from '../db/kernel/keyring.ts';
import { createLog } from '../db/kernel/log.ts';
import { openOrm } from '../db/orm.ts';

const config = readConfig();
const log = createLog('api', config.logLevel);
const [orm, keyring] = [await openOrm(config.appDatabaseUrl, 20), createKeyring(config.sealingKeys)];
/** Of what lists do not use. */
const absent = null as never;
const deps = {
  orm,
  keyring,
  config,
  clock,
  log,
  keys: await loadTokenKeys(orm, keyring, config.publicUrl, clock.now()),
  login: createLoginProvider(config, log),
  temporal: absent,
  egress: absent,
  storage: absent,
  payments: absent,
  threads: absent,
  previewNow: absent,
  stopping: new AbortController().signal,
};
buildApp(deps, process.argv.includes('--without') ? null : new Recorder(deps)).listen(config.port, config.host, () =>
  process.send?.('ready'),
);
process.on('disconnect', () => process.exit(0));
