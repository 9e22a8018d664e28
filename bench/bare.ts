/** The baseline of this machine, without our code: a Postgres transaction, a Temporal update with one local activity. */
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Client, Connection, WithStartWorkflowOperation } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { Pool } from 'pg';
import { type Figures, load } from './measure.ts';

/** Insert, update, commit: the minimum that an order writes. */
export async function barePostgres(databaseUrl: string, callers: number, count: number): Promise<Figures> {
  const pool = new Pool({ connectionString: databaseUrl, max: callers });
  await pool.query('CREATE TABLE IF NOT EXISTS bench_bare (id text PRIMARY KEY, n integer NOT NULL)');
  const figures = await load('bare Postgres: one transaction of four statements', callers, count, async () => {
    const tx = await pool.connect();
    const id = randomUUID();
    await tx.query('BEGIN');
    await tx.query('INSERT INTO bench_bare VALUES ($1, 0)', [id]);
    await tx.query('UPDATE bench_bare SET n = 1 WHERE id = $1', [id]);
    await tx.query('COMMIT');
    tx.release();
  });
  await pool.query('DROP TABLE bench_bare');
  await pool.end();
  return figures;
}

/**
 * Temporal without our code: an update-with-start with one local activity, and the minimum of one order (the payment's update with its
 * activity, and the start of the item's workflow).
 */
export async function bareTemporal(address: string, runs: readonly (readonly [callers: number, count: number])[]): Promise<Figures[]> {
  const { connection, taskQueue, worker, workflow } = await bareWorker(address, async () => 'ok');
  const update = (type: string) => {
    const options = { workflowId: `${type}-${randomUUID()}`, taskQueue, workflowIdConflictPolicy: 'USE_EXISTING' } as const;
    return workflow.executeUpdateWithStart('work', { startWorkflowOperation: new WithStartWorkflowOperation(type, options) });
  };
  const order = async () => {
    await update('barePayment');
    await workflow.start('bareItem', { workflowId: `item-${randomUUID()}`, taskQueue });
  };
  const figures: Figures[] = [];
  await worker.runUntil(async () => {
    for (const [callers, count] of runs) {
      figures.push(await load('bare Temporal: update-with-start, one local activity', callers, count, () => update('bare')));
      figures.push(await load('bare Temporal: the skeleton of one order', callers, count, order));
    }
  });
  await connection.close();
  return figures;
}

/** Starts workflows that run one local activity and then wait. Returns starts per second, from the first start to the last activity. */
export async function bareStarts(address: string, callers: number, count: number): Promise<number> {
  let made = 0;
  const all = Promise.withResolvers<void>();
  const nothing = async () => {
    if (++made === count) all.resolve();
    return 'ok';
  };
  const { connection, taskQueue, worker, workflow } = await bareWorker(address, nothing);
  let seconds = 0;
  await worker.runUntil(async () => {
    const began = performance.now();
    await load('', callers, count, () => workflow.start('bareRun', { workflowId: `run-${randomUUID()}`, taskQueue }));
    await all.promise;
    seconds = (performance.now() - began) / 1000;
  });
  await connection.close();
  return Math.round((count / seconds) * 10) / 10;
}

async function bareWorker(address: string, nothing: () => Promise<string>) {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const connection = await NativeConnection.connect({ address });
  const taskQueue = `bare-${randomUUID()}`;
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowsPath: fileURLToPath(new URL('./bareWorkflow.ts', import.meta.url)),
    activities: { nothing },
    maxCachedWorkflows: 200,
  });
  const { workflow } = new Client({ connection: await Connection.connect({ address }) });
  return { connection, taskQueue, worker, workflow };
}
