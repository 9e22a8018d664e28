/** The worker process: workflows and transitions, calls, relay, reconciler. Any number may run side by side. */
import { flushCompileCache } from 'node:module';
import { Client } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { createJobs } from '../activities/jobs.ts';
import { createActivities } from '../activities/index.ts';
import { BRIEF_AT_ONCE } from '../activities/kernel/brief.ts';
import type { ActivityDeps } from '../activities/kernel/deps.ts';
import { Attempts } from '../activities/kernel/attempts.ts';
import { Places } from '../activities/kernel/places.ts';
import { createStorage } from '../activities/providers/storage.ts';
import { executorOf } from '../api/executor.ts';
import { realClock } from '../db/kernel/clock.ts';
import { readWorkerConfig } from '../db/kernel/config.ts';
import { createKeyring } from '../db/kernel/keyring.ts';
import { createLog } from '../db/kernel/log.ts';
import { startTracing } from '../db/kernel/tracing.ts';
import { openOrm } from '../db/orm.ts';
import { checkLogin } from '../db/roles.ts';
import { JOBS_QUEUE } from '../workflows/kernel/jobs.ts';
import { DELIVERIES_QUEUE, RUNS_QUEUE, YIELDING_QUEUE } from '../workflows/kernel/queues.ts';
import { workflowBundle } from './bundle.ts';
import { serveMetrics, unusedPort } from './metrics.ts';
import { openRelayPool } from './pool.ts';
import { Pressure, YieldingSlots } from './pressure.ts';
import { runReconciler } from './reconciler.ts';
import { registerSearchAttributes } from './searchAttributes.ts';
import { runRelay } from './relay.ts';
import { runSchedules } from './schedules.ts';
import { tracedWorker } from './tracing.ts';

const config = readWorkerConfig();
const log = createLog('worker', config.logLevel);
const temporalMetrics = `127.0.0.1:${await unusedPort()}`;
Runtime.install({
  logger: new DefaultLogger('WARN', (entry) => log.warn({ ...entry.meta }, entry.message)),
  shutdownSignals: [],
  ...(config.metrics.worker !== null && { telemetryOptions: { metrics: { prometheus: { bindAddress: temporalMetrics } } } }),
});

const tracing = await startTracing('sangjeom-worker');
const traced = await tracedWorker(tracing);
const { address, namespace } = config.temporal;
const orm = await openOrm(config.appDatabaseUrl, 20);
const pool = openRelayPool(config.relayDatabaseUrl, log);
await checkLogin((text) => orm.em.fork().execute<object[]>(text), 'sangjeom_app', 'APP_DATABASE_URL');
await checkLogin(async (text) => (await pool.query<object>(text)).rows, 'sangjeom_relay', 'RELAY_DATABASE_URL');
const connection = await NativeConnection.connect({ address });
// The relay shares the worker's connection: eager workflow start returns a workflow's first task with the response to its start.
const client = new Client({ connection, namespace, interceptors: traced.client });
const storage = await createStorage(config.storage);
const stopping = new AbortController();
const shares = { orm, config, keyring: createKeyring(config.sealingKeys), clock: realClock, log };
// The one line that crosses the rings: what was approved is carried out as the API carries out requests, which activities know as a port.
const executor = await executorOf({ ...shares, temporal: client, storage, stopping: stopping.signal });
const attempts = new Attempts();
const deps: ActivityDeps = { ...shares, executor, places: new Places(), attempts };
const activities = createActivities(deps);
await registerSearchAttributes(connection, namespace);
const shared = { connection, namespace, shutdownGraceTime: '10s' } as const;
// A receiver that hangs occupies a slot for ten seconds, hence so many: more than relay and attempts have in flight at a time.
const CALLS = { maxConcurrentActivityTaskExecutions: 1000 } as const;
const pressure = new Pressure();
// Transitions take milliseconds; a brief call takes seconds while its provider is slow, and its workflow task with it. Those have slots of
// their own beside the transitions'.
const RUNS = 40 + BRIEF_AT_ONCE;
// A workflow in the cache (sticky queue) costs about half a megabyte; an evicted one is replayed at its next task.
const hosts = { ...shared, ...traced.runs, workflowBundle: await workflowBundle(), maxCachedWorkflows: 200 };
const workers = await Promise.all([
  Worker.create({
    ...hosts,
    taskQueue: RUNS_QUEUE,
    activities: activities.transitions,
    maxConcurrentWorkflowTaskExecutions: RUNS,
    maxConcurrentLocalActivityExecutions: RUNS,
    maxConcurrentActivityTaskExecutions: 40,
  }),
  Worker.create({
    ...hosts,
    ...CALLS,
    taskQueue: DELIVERIES_QUEUE,
    activities: activities.createDeliveries(),
    maxConcurrentWorkflowTaskExecutions: RUNS,
    maxConcurrentLocalActivityExecutions: RUNS,
  }),
  // They wait for minutes and hours, so that few are cached.
  Worker.create({
    ...hosts,
    taskQueue: YIELDING_QUEUE,
    activities: activities.createDeliveries(),
    maxCachedWorkflows: 20,
    workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: 4 },
    tuner: {
      workflowTaskSlotSupplier: new YieldingSlots(pressure),
      activityTaskSlotSupplier: { type: 'fixed-size', numSlots: CALLS.maxConcurrentActivityTaskExecutions },
      localActivityTaskSlotSupplier: { type: 'fixed-size', numSlots: 10 },
      nexusTaskSlotSupplier: { type: 'fixed-size', numSlots: 1 },
    },
  }),
  Worker.create({
    ...shared,
    ...traced.calls,
    taskQueue: JOBS_QUEUE,
    activities: createJobs(deps),
    maxConcurrentActivityTaskExecutions: 2,
  }),
  ...Object.entries(activities.calls).map(([taskQueue, calls]) =>
    Worker.create({ ...shared, ...traced.calls, ...CALLS, taskQueue, activities: calls }),
  ),
]);

const { host, worker: port } = config.metrics;
if (port !== null) serveMetrics({ pool, client, log, namespace, clock: realClock, host, port, temporalMetrics, signal: stopping.signal });
const loops = [
  runRelay({ pool, client, clock: realClock, log, signal: stopping.signal, pressure, attempts }),
  runReconciler({ pool, client, namespace, clock: realClock, log, signal: stopping.signal, pressure, storage }),
  runSchedules({ client, log, signal: stopping.signal }),
];

const stop = () => {
  stopping.abort();
  for (const worker of workers) worker.shutdown();
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
log.info('worker ready');
// Now, not at its end: a process that is killed leaves its successor what it compiled.
flushCompileCache();
await Promise.all([...workers.map((worker) => worker.run()), ...loops]);
await attempts.ended();
await pool.end();
await orm.close();
await tracing?.stop();
process.exit(0);
