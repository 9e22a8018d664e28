/** Temporal serves stores in turns: the fairness keys of starts act, because the server's flags have them act (bin/dev/temporal.ts). */
import { readFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { NativeConnection, Worker } from '@temporalio/worker';
import { parse } from 'yaml';
import { devServerArguments } from '../../../bin/dev/temporal.ts';
import { root } from '../../../bin/kernel/paths.ts';
import { runOf } from '../../../workflows/kernel/messages.ts';
import { startOptions } from '../../../workflows/kernel/start.ts';
import { installRuntime } from '../../kernel/temporal.ts';
import { temporalClient, underTest, until } from '../../kernel/world.ts';

const MANY = 200;
let connection: NativeConnection;
beforeAll(async () => {
  installRuntime();
  connection = await NativeConnection.connect({ address: underTest.temporalAddress });
});
afterAll(() => connection.close());

/** The order in which stores were served that queued so many runs, one store after the other, before any worker came. */
async function served(queued: Readonly<Record<string, number>>, taskQueue = `fairness-${randomUUID()}`): Promise<string[]> {
  const { workflow } = await temporalClient();
  for (const [storeId, count] of Object.entries(queued)) {
    const start = () => {
      const options = { ...startOptions(runOf('webhookDelivery', storeId, randomUUID())), taskQueue, typedSearchAttributes: [] };
      return workflow.start('servedRun', { ...options, args: [{ storeId }] });
    };
    for (let left = count; left > 0; left -= 20) await Promise.all(Array.from({ length: Math.min(20, left) }, start));
  }
  const order: string[] = [];
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowsPath: fileURLToPath(new URL('./servedWorkflow.ts', import.meta.url)),
    activities: { served: async (storeId: string) => void order.push(storeId) },
    maxConcurrentWorkflowTaskExecutions: 4,
    maxConcurrentActivityTaskExecutions: 1,
    maxCachedWorkflows: 0,
  });
  const total = Object.values(queued).reduce((sum, count) => sum + count, 0);
  await worker.runUntil(until('all served', async () => order.length === total, 50_000));
  return order;
}

test('one run of a store is among the first that are served, though another store queued 200 before it', async () => {
  const order = await served({ many: MANY, one: 1 });
  expect(order).toHaveLength(MANY + 1);
  expect(order.indexOf('one')).toBeLessThan(MANY / 4);
});

test('the server of the deployment has the same flags for it as that of `npm start`', () => {
  const flags = devServerArguments({ db: 'x', port: 1, uiPort: 2 }).filter((flag) => flag.startsWith('matching.'));
  const deployed = parse(readFileSync(join(root, 'ops/temporal/dynamic-config.yaml'), 'utf8')) as Record<string, [{ value: unknown }]>;
  expect(flags).toEqual(['matching.enableFairness=true']);
  expect(flags.map((flag) => flag.split('='))).toEqual(
    Object.entries(deployed).flatMap(([name, [{ value }]]) => (name.startsWith('matching.') ? [[name, String(value)]] : [])),
  );
});
