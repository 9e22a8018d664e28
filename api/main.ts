/** The API process. Any number may run against the same Postgres and Temporal. */
import { createServer } from 'node:http';
import { flushCompileCache } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { createEgress } from '../activities/providers/egress.ts';
import { createProviders } from '../activities/providers/index.ts';
import { createStorage } from '../activities/providers/storage.ts';
import { realClock } from '../db/kernel/clock.ts';
import { readConfig } from '../db/kernel/config.ts';
import { createKeyring } from '../db/kernel/keyring.ts';
import { createLog } from '../db/kernel/log.ts';
import { registry } from '../db/kernel/metrics.ts';
import { serveOperators } from '../db/kernel/operators.ts';
import { startTracing } from '../db/kernel/tracing.ts';
import { shareConnections } from '../db/kernel/shares.ts';
import { openOrm } from '../db/orm.ts';
import { checkLogin } from '../db/roles.ts';
import { HOUR } from '../domain/kernel/time.ts';
import { Recorder } from './apiRequestLogs/recorder.ts';
import { buildApp } from './app.ts';
import { endpoints } from './endpoints.ts';
import { completed } from './approvals/approvedRequest.ts';
import { boundConnections } from './web/connections.ts';
import { arrivalLimits } from './web/inFlight.ts';
import { createLoginProvider } from './identity/loginProvider.ts';
import { ThreadPool } from './flows/threadPool.ts';
import { loadTokenKeys } from './callers/tokens.ts';

const config = readConfig();
const tracing = await startTracing('sangjeom-api');
const log = createLog('api', config.logLevel);
const CONNECTIONS = 20;
const orm = await openOrm(config.appDatabaseUrl, CONNECTIONS);
shareConnections(orm, CONNECTIONS);
await checkLogin((text) => orm.em.fork().execute<object[]>(text), 'sangjeom_app', 'APP_DATABASE_URL');
const keyring = createKeyring(config.sealingKeys);
const { address, namespace } = config.temporal;
const interceptors = tracing
  ? { workflow: [new (await import('@temporalio/interceptors-opentelemetry')).OpenTelemetryWorkflowClientInterceptor()] }
  : {};
const temporal = new Client({ connection: await Connection.connect({ address }), namespace, interceptors });
const keys = await loadTokenKeys(orm, keyring, config.publicUrl, realClock.now());
const egress = createEgress({ allowLoopback: config.allowLoopbackWebhooks, dns: config.webhookDns });
const payments = createProviders(config.payments).providerFor;
const storage = await createStorage(config.storage);
const login = createLoginProvider(config, log);
const stopping = new AbortController();
const threads = new ThreadPool(new URL('./flows/thread.ts', import.meta.url));
const shares = { orm, temporal, config, keyring, keys, login, egress, storage, payments, threads };
const deps = completed({ ...shares, clock: realClock, log, stopping: stopping.signal }, endpoints);
const recorder = new Recorder(deps);
const server = createServer(arrivalLimits(config), buildApp(deps, recorder).callback()).listen(config.port, config.host, () => {
  log.info({ port: config.port }, 'api ready');
  process.send?.('ready');
  // Now, not at its end: a process that is killed leaves its successor what it compiled.
  flushCompileCache();
});
boundConnections(server, config.trustedProxies);
// Longer than the minute for which proxies and clients keep a connection that is idle: who closes one first must not be us, or a request
// that is on its way meets a closed one.
server.keepAliveTimeout = 75_000;
// Files that a process left behind while they arrived.
const sweepArrived = () =>
  void storage.sweepTemporary(realClock.now() - HOUR).catch((error: unknown) => log.warn({ err: error }, 'no sweep'));
sweepArrived();
setInterval(sweepArrived, HOUR).unref();
if (config.metrics.api !== null)
  serveOperators({ host: config.metrics.host, port: config.metrics.api, log }, { '/metrics': async () => [200, await registry.metrics()] });
server.on('error', (error: NodeJS.ErrnoException) => {
  const inUse = error.code === 'EADDRINUSE';
  process.stderr.write(inUse ? `Port ${config.port} is in use: stop what uses it, or set PORT.\n` : `${String(error)}\n`);
  process.exit(1);
});

/** Reports unready first, so that the load balancer stops sending requests. Requests that arrive meanwhile are served. */
const stop = async () => {
  stopping.abort();
  server.prependListener('request', (_, response) => response.setHeader('Connection', 'close'));
  await sleep(config.drainMs);
  keys.close();
  server.close(() => void Promise.allSettled([recorder.close(), tracing?.stop(), threads.close()]).then(() => process.exit(0)));
  server.closeIdleConnections();
  setTimeout(() => process.exit(0), 10_000).unref();
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop());
process.on('disconnect', () => process.exit(0));
