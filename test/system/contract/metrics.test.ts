import { expect, test } from '@jest/globals';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { parse } from 'yaml';
import { root } from '../../../bin/kernel/paths.ts';
import { call } from '../../../bin/dev/client.ts';
import { realClock } from '../../../db/kernel/clock.ts';
import { createLog } from '../../../db/kernel/log.ts';
import { serveMetrics } from '../../../worker/metrics.ts';
import { openRelayPool } from '../../../worker/pool.ts';
import { migratedDatabase, roleUrl } from '../../kernel/database.ts';
import { query, temporalClient, underTest, until, world } from '../../kernel/world.ts';

const scrape = async (url: string) => {
  const response = await fetch(url);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/plain')]);
  return response.text();
};
const { origin: worker } = new URL(underTest.metrics.worker);
const { origin: api } = new URL(underTest.metrics.api);

test('every metric that an operator or an alert needs exists', async () => {
  const shop = await world();
  const receiver = await shop.receiver();
  const { orderItemId } = await shop.order();
  await shop.act(orderItemId, 'cancel', { reason: 'OTHER' });
  await until('told', async () => receiver.received.length > 0);
  await until(
    'refunded',
    async () => (await query(`SELECT 1 FROM refund WHERE order_item_id = $1 AND status = 'DONE'`, [orderItemId])).length === 1,
  );
  receiver.close();
  const exposed = (await scrape(`${api}/metrics`)) + (await scrape(`${worker}/metrics`));
  expect(exposed).toMatch(
    /sangjeom_http_request_seconds_count\{[^}]*route="\/v1\/order-items\/:orderItemId\/cancel"[^}]*status="200"[^}]*\} [1-9]/,
  );
  expect(exposed).toMatch(/sangjeom_provider_outcomes_total\{provider="tosspayments",operation="refundPayment",outcome="REFUNDED"\} [1-9]/);
  expect(exposed).toMatch(/sangjeom_webhook_attempts_total\{outcome="SUCCESS"\} [1-9]/);
  expect(exposed).toMatch(/^sangjeom_runs_overdue \d/m);
  expect(exposed).toMatch(/^sangjeom_runs_to_recover \d/m);
  expect(exposed).toMatch(/^sangjeom_retention_overdue_rows\{kind="payments"\} \d/m);
  expect(exposed).toContain('# TYPE sangjeom_runs_open gauge');
  expect(exposed).not.toContain(shop.store.storeId);

  const { groups } = parse(readFileSync(join(root, 'ops/alerts.yml'), 'utf8')) as {
    groups: { rules: { alert: string; expr: string; annotations: object }[] }[];
  };
  const rules = groups.flatMap((group) => group.rules);
  expect(rules.length).toBeGreaterThan(5);
  const named = new Set(rules.flatMap(({ expr }) => expr.match(/\b(?:sangjeom|temporal)_\w+/g) ?? []));
  // A counter of failures has no line before the first failure.
  const unseen = [...named].filter((name) => !exposed.includes(name) && name !== 'temporal_workflow_task_execution_failed');
  expect(unseen).toEqual([]);
  expect(exposed).toContain('temporal_workflow_task_execution_latency');
  for (const { annotations } of rules) expect(annotations).toMatchObject({ summary: expect.any(String), action: expect.any(String) });
});

test('deliveries that wait for a receiver that fails are no lag and no lost runs; others are', async () => {
  const url = await migratedDatabase('backlog');
  const log = createLog('test', 'fatal');
  const pool = openRelayPool(roleUrl(url, 'sangjeom_relay'), log);
  const server = serveMetrics({
    pool,
    log,
    clock: realClock,
    namespace: 'default',
    host: '127.0.0.1',
    port: 0,
    temporalMetrics: '127.0.0.1:1',
    client: await temporalClient(),
    signal: new AbortController().signal,
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const gauges = async () => {
    const text = await scrape(`http://127.0.0.1:${port}/metrics`);
    const value = (name: string) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)![1]);
    return [value('sangjeom_outbox_rows'), Math.floor(value('sangjeom_outbox_lag_seconds') / 60), value('sangjeom_runs_not_loaded')];
  };
  const owner = new Client({ connectionString: url });
  await owner.connect();
  const waiting = async (id: string, yields: boolean) => {
    await owner.query(
      `INSERT INTO run (store_id, workflow_id, workflow_type, entity_id, created_at)
       VALUES ('s', $1, 'webhookDelivery', $1, now() - interval '10 minutes')`,
      [id],
    );
    await owner.query(
      `INSERT INTO outbox (store_id, message, workflow_type, workflow_id, entity_id, yields, created_at)
       VALUES ('s', 'start', 'webhookDelivery', $1, $1, $2, now() - interval '10 minutes')`,
      [id, yields],
    );
  };
  try {
    await waiting('a', true);
    expect(await gauges()).toEqual([1, 0, 0]);
    await waiting('b', false);
    expect(await gauges()).toEqual([2, 10, 0]);
    await owner.query('DELETE FROM outbox');
    expect(await gauges()).toEqual([0, 0, 2]);
  } finally {
    server.close();
    await Promise.all([owner.end(), pool.end()]);
  }
});

test('the public port knows no /metrics', async () => {
  const refused = await call(underTest.api, 'GET', '/metrics');
  expect([refused.status, refused.body.error!.code, refused.body.data]).toEqual([404, 'NOT_FOUND', null]);
  expect(refused.body.meta.requestId).toMatch(/^req_/);
  const head = await fetch(`${underTest.api}/metrics`, { method: 'POST' });
  expect(head.status).toBe(404);
});

test('the port of metrics knows nothing else', async () => {
  for (const path of ['/health/ready', '/v1/products', '/constructor']) expect((await fetch(api + path)).status).toBe(404);
});

test('the worker reports its health', async () => {
  expect((await fetch(`${worker}/health/live`)).status).toBe(200);
  const ready = await fetch(`${worker}/health/ready`);
  expect([ready.status, await ready.json()]).toEqual([200, { status: 'ok', postgres: 'ok', temporal: 'ok' }]);
  expect((await fetch(`${worker}/nothing`)).status).toBe(404);
});
