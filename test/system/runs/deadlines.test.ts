/** A deadline passes beside a call in flight, wherever its run is terminated: before and after each activity, the call included. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { saveSecret } from '../../../db/flows/secrets.ts';
import { HOUR } from '../../../domain/kernel/time.ts';
import { type RunName, wakeOptions } from '../../../workflows/kernel/start.ts';
import { until } from '../../kernel/world.ts';
import { deadlineAround, Service } from '../flows/externalFlow.ts';
import { type Host, host } from './hosted.ts';

let under: Host;
let service: Service;
let release: (() => void)[] = [];
/** The activities of the item's run so far, and at which of them it is terminated. */
let passed: string[] = [];
let target: string | null = null;
let struck = 0;

async function pass(workflowId: string, point: string): Promise<void> {
  if (target !== point) return;
  target = null;
  struck++;
  await under.client.workflow.getHandle(workflowId).terminate('drill');
}

beforeAll(async () => {
  service = await Service.listen((response) => void release.push(() => response.end('{"late":true}')));
  under = await host({
    server: 'dev',
    around: ({ info }) => ({
      inbound: {
        async execute(input, next) {
          const { workflowId } = info.workflowExecution!;
          if (info.workflowType !== 'orderItem') return next(input);
          const nth = passed.length;
          passed.push(info.activityType);
          await pass(workflowId, `before ${nth}`);
          const answer = await next(input);
          await pass(workflowId, `after ${nth}`);
          return answer;
        },
      },
    }),
  });
  const { around, inner } = deadlineAround();
  await under.inTenant(async (tx) => {
    const { sql, storeId, at } = tx;
    await saveSecret(tx, under.keyring, 'service', { url: service.url, headerName: 'X-Key', headerValue: 'x' });
    await sql`INSERT INTO commerce_flow (store_id, flow_id, key, name, latest_version, created_at)
      VALUES (${storeId}, 'flw_around', 'around', 'around', 1, ${new Date(at)})`;
    await sql`INSERT INTO flow_version (store_id, flow_id, version, key, graph, bundle, progression, published_at)
      VALUES (${storeId}, 'flw_around', 1, 'around', ${JSON.stringify(around)}::jsonb, ${JSON.stringify({ '': around, inner })}::jsonb,
        'ITEM', ${new Date(at)})`;
    await sql`UPDATE product SET flow_id = 'flw_around' WHERE store_id = ${storeId}`;
  });
}, 120_000);
afterAll(async () => {
  service.close();
  await under.close();
});

/** As a client does: the same key until there is an answer. */
async function press(run: RunName, key: string): Promise<void> {
  const payloadId = await under.text('{}');
  const operation = { principal: 't', key: randomUUID(), id: 't', fingerprint: key };
  for (let tries = 0; ; tries++)
    try {
      return await under.command(run, 'act', { side: 'seller', key, orderItemId: run.entityId, payloadId }, { operation });
    } catch (error) {
      if (tries > 5) throw error;
      await sleep(50);
    }
}
/** Brings the run back as often as it is gone, as the reconciler does. */
const sustained = (run: RunName, what: string, holds: () => Promise<boolean>): Promise<boolean> =>
  until(what, async () => {
    if (await holds()) return true;
    const { status } = await under.client.workflow.getHandle(run.workflowId).describe();
    if (status.name === 'TERMINATED') await under.client.workflow.signalWithStart(run.workflowType, wakeOptions(run));
    return false;
  });
const stateOf = async ({ entityId }: RunName): Promise<string> => {
  const [row] = await under.rows<{ node: string }>(
    "SELECT flow_state -> 'positions' -> 0 ->> 'node' AS node FROM order_item WHERE order_item_id = ?",
    [entityId],
  );
  return row!.node;
};

/** Asks, hears nothing, is late after an hour, and ends; the answer comes when all is over. */
async function story(): Promise<object> {
  const before = service.requests.length;
  const payment = await under.payment();
  await under.command(payment.run, 'pay', await under.authenticated(payment), { wait: 'idle' });
  const item = await under.itemOf(payment.orderNo);
  passed = [];
  await press(item, 'ask');
  await press(item, 'go');
  await sustained(item, 'the request', async () => service.requests.length > before);
  await under.advance(item, HOUR).catch(() => {});
  await sustained(item, 'late', async () => (await stateOf(item)) === 'late');
  await press(item, 'finish');
  await sustained(
    item,
    'the end',
    async () => (await under.rows('SELECT 1 FROM run WHERE entity_id = ? AND done_at IS NOT NULL', [item.entityId])).length > 0,
  );
  for (const answer of release) answer();
  release = [];
  return {
    steps: (
      await under.rows<{ type: string }>("SELECT event ->> 'type' AS type FROM flow_step WHERE order_item_id = ? ORDER BY seq", [
        item.entityId,
      ])
    ).map(({ type }) => type),
    data: await under.rows("SELECT flow_state -> 'data' AS data FROM order_item WHERE order_item_id = ?", [item.entityId]),
    // A request that ends late, or is lost, has failed: nothing follows from it.
    calls: (await under.rows('SELECT call FROM flow_call WHERE owner_id = ?', [item.entityId])).length,
    requests: service.requests.length - before,
    open: await under.rows('SELECT workflow_id FROM run WHERE done_at IS NULL'),
  };
}

test('the timeout of a node that asks passes at its time, the answer is dropped, and a termination anywhere changes nothing', async () => {
  const undisturbed = await story();
  expect(undisturbed).toMatchObject({ requests: 1, open: [], calls: 1 });
  expect(passed).toContain('askExternal');
  const points = passed.flatMap((_, nth) => [`before ${nth}`, `after ${nth}`]);
  for (const point of points) {
    target = point;
    expect({ point, ...(await story()) }).toEqual({ point, ...undisturbed });
  }
  // The end of the call comes after the story.
  expect(struck).toBeGreaterThanOrEqual(points.length - 2);
}, 240_000);
