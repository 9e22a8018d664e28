/** The list of the audit log: to whom, its filters, its cursor, and how long it shows what (docs/contract.md#audit). */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { MikroORM } from '@mikro-orm/postgresql';
import { call } from '../../../bin/dev/client.ts';
import { DAY } from '../../../domain/kernel/time.ts';
import { storeToken } from '../../kernel/login.ts';
import { underTest } from '../../kernel/world.ts';
import { Audited, type Logged, openApp } from './log.ts';

let log: Audited;
let orm: MikroORM;
beforeAll(async () => {
  [log, orm] = await Promise.all([Audited.open(), openApp()]);
});
afterAll(() => orm.close());

describe('a record of a request', () => {
  test('has the shape of the contract, with the name that its actor has now', async () => {
    const userId = await log.userId('owner');
    const requestId = await log.request(orm, {
      actor: { type: 'USER', id: userId, name: null },
      outcome: 'FAILED',
      statusCode: 409,
      errorCode: 'REFUND_NOT_HELD',
      traceId: 't'.repeat(32),
      idempotencyKey: 'k',
      approvalId: 'apr_1',
      metadata: { replayed: true },
    });
    const [{ createdAt, actor, ...record }] = (await log.items(`?requestId=${requestId}`)) as [Logged];
    expect(record).toEqual({
      changesTruncated: false,
      auditId: requestId.replace('req_', 'aud_'),
      source: 'REQUEST',
      action: 'products.patch',
      target: { type: 'PRODUCT', id: 'prd_x' },
      outcome: 'FAILED',
      statusCode: 409,
      errorCode: 'REFUND_NOT_HELD',
      requestId,
      traceId: 't'.repeat(32),
      idempotencyKey: 'k',
      approvalId: 'apr_1',
      metadata: { replayed: true },
    });
    expect([actor.type, actor.id, actor.name.length > 0, actor.name !== userId]).toEqual(['USER', userId, true, true]);
    expect(createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+09:00$/);
  });

  test('is listed with twenty lines of its changes, their values cut, and read with all of them; no other store’s', async () => {
    const value = '값'.repeat(3000);
    const changes = Array.from({ length: 25 }, (_, n) => ({ field: `f${n}`, before: null, after: value }));
    const requestId = await log.request(orm, { metadata: { changes } });
    const [listed] = (await log.items(`?requestId=${requestId}`)) as unknown as [Logged & { changesTruncated: boolean }];
    const shown = listed.metadata['changes'] as { after: string }[];
    expect([listed.changesTruncated, shown.length <= 20, shown.every(({ after }) => after.length <= 2001)]).toEqual([true, true, true]);
    const read = (auditId: string) => log.call('GET', `/v1/audit-logs/${auditId}`);
    const whole = await read(listed.auditId);
    expect([whole.status, whole.body.data.metadata.changes]).toEqual([200, changes]);
    expect((await read('aud_none')).body.error?.code).toBe('AUDIT_NOT_FOUND');
    const foreign = await (await Audited.open()).call('GET', `/v1/audit-logs/${listed.auditId}`);
    expect([foreign.status, foreign.body.error?.code]).toEqual([404, 'AUDIT_NOT_FOUND']);
  });

  test('is written once, whoever tries', async () => {
    const requestId = await log.request(orm, { outcome: 'SUCCEEDED' });
    await log.request(orm, { requestId, outcome: 'FAILED', statusCode: 503 });
    expect(await log.items(`?requestId=${requestId}`)).toMatchObject([{ outcome: 'SUCCEEDED', statusCode: 200 }]);
  });

  test.each([
    ['an agent by its token', 'AGENT', 'token'],
    ['an app by its client', 'APP', 'client'],
    ['who is unknown by the id', 'APP', 'unknown'],
  ] as const)('names %s', async (_, type, kind) => {
    const { store } = log.shop;
    const issued = await log.call('POST', '/v1/store/api-tokens', { name: 'Bot', scopes: ['order:r'], purpose: 'agent' });
    const ids = { token: issued.body.data?.tokenId as string, client: store.clientId, unknown: 'cli_none' };
    const names = { token: 'Bot', client: expect.stringContaining('server'), unknown: 'cli_none' };
    const requestId = await log.request(orm, { actor: { type, id: ids[kind], name: null } });
    expect((await log.items(`?requestId=${requestId}`))[0]!.actor).toEqual({ type, id: ids[kind], name: names[kind] });
  });
});

describe('the list', () => {
  test('is for audit:r, and only to read', async () => {
    const { storeId } = log.shop.store;
    const [admin, staff] = await Promise.all(['admin', 'staff'].map((role) => storeToken(log.email(role), storeId)));
    expect((await log.list('', admin)).status).toBe(200);
    expect((await log.list('', log.shop.seller.bearer)).status).toBe(200);
    expect((await log.list('', staff)).body.error?.code).toBe('INSUFFICIENT_SCOPE');
    expect((await call(underTest.api, 'GET', '/v1/audit-logs')).status).toBe(401);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) expect((await log.call(method, '/v1/audit-logs')).status).toBe(405);
  });

  test('shows a store its own records only', async () => {
    const other = await Audited.open();
    const requestId = await log.request(orm);
    const [mine] = await log.items(`?requestId=${requestId}`);
    expect(mine).toBeDefined();
    expect(await other.items(`?requestId=${requestId}`)).toEqual([]);
    expect((await other.items()).map(({ auditId }) => auditId)).not.toContain(mine!.auditId);
  });

  test.each([
    ['limit=0', 'VALIDATION_FAILED'],
    ['limit=101', 'VALIDATION_FAILED'],
    ['limit=x', 'VALIDATION_FAILED'],
    ['cursor=x', 'VALIDATION_FAILED'],
    ['cursor=a-1-aud_0', 'VALIDATION_FAILED'],
    ['cursor=o-1-ord_0', 'VALIDATION_FAILED'],
    ['source=OTHER', 'INVALID_PARAMETER'],
    ['source=REQUEST,DOMAIN', 'INVALID_PARAMETER'],
    ['actorType=ROBOT', 'INVALID_PARAMETER'],
    ['actorType=USER,ROBOT', 'INVALID_PARAMETER'],
    ['actorType=', 'INVALID_PARAMETER'],
    ['outcome=succeeded', 'INVALID_PARAMETER'],
    ['from=yesterday', 'INVALID_PARAMETER'],
    ['to=2026-02-30T00:00:00Z', 'INVALID_PARAMETER'],
  ])('refuses %s', async (search, code) => expect((await log.list(`?${search}`)).body.error?.code).toBe(code));

  test('is filtered by each of its parameters, alone and together', async () => {
    const own = await Audited.open();
    const times = [3, 2, 1].map((n) => Date.now() - n * 60_000);
    const person = await own.request(orm, { approvalId: 'apr_a' }, times[0]);
    const agent = await own.request(
      orm,
      {
        actor: { type: 'AGENT', id: 'tok_x', name: 'Bot' },
        action: 'orders.cancel',
        outcome: 'DENIED',
        statusCode: 403,
        approvalId: 'apr_b',
      },
      times[1],
    );
    const app = await own.request(
      orm,
      { actor: { type: 'APP', id: 'cli_x', name: 'App' }, target: { type: 'ORDER', id: null }, outcome: 'FAILED', statusCode: 404 },
      times[2],
    );
    const found = async (search: string) => (await own.items(`?source=REQUEST&${search}`)).map(({ requestId }) => requestId);
    const iso = (n: number) => encodeURIComponent(new Date(times[n]!).toISOString());
    expect(await found('')).toEqual([app, agent, person]);
    expect(await found('actorType=AGENT')).toEqual([agent]);
    expect(await found('actorType=AGENT,USER')).toEqual([agent, person]);
    expect(await found('actorId=cli_x')).toEqual([app]);
    expect(await found('action=orders.cancel')).toEqual([agent]);
    expect(await found('targetType=PRODUCT')).toEqual([agent, person]);
    expect(await found('targetId=prd_x')).toEqual([agent, person]);
    expect(await found('outcome=DENIED,FAILED')).toEqual([app, agent]);
    expect(await found('actorType=USER,APP&outcome=SUCCEEDED,DENIED')).toEqual([person]);
    expect(await found(`requestId=${agent}`)).toEqual([agent]);
    expect(await found('approvalId=apr_a')).toEqual([person]);
    expect(await found(`from=${iso(1)}`)).toEqual([app, agent]);
    expect(await found(`to=${iso(1)}`)).toEqual([person]);
    expect(await found('action=nothing')).toEqual([]);
    expect(await own.items('?source=DOMAIN&outcome=FAILED')).toEqual([]);
    // What is shown can be compared with.
    const [shown] = await own.items(`?requestId=${agent}`);
    const at = encodeURIComponent(shown!.createdAt);
    expect([await found(`from=${at}&requestId=${agent}`), await found(`to=${at}&requestId=${agent}`)]).toEqual([[agent], []]);
  });

  test('is read on by its cursor, newest first, each record once, while others are written', async () => {
    const own = await Audited.open();
    const at = Date.now() - 60_000;
    const written: string[] = [];
    // Three at the same millisecond each: their ids decide.
    for (let n = 0; n < 12; n++) written.push(await own.request(orm, {}, at + Math.floor(n / 3)));
    const read: Logged[] = [];
    let cursor = '';
    do {
      const page = await own.page(`?source=REQUEST&limit=5${cursor}`);
      read.push(...page.items);
      cursor = page.nextCursor === null ? '' : `&cursor=${page.nextCursor}`;
      await own.request(orm, {}, at + 100);
    } while (cursor !== '');
    const ids = read.map(({ requestId }) => requestId!);
    expect(ids.toSorted()).toEqual(written.toSorted());
    const keys = read.map(({ createdAt, auditId }) => `${createdAt} ${auditId}`);
    expect(keys).toEqual(keys.toSorted().toReversed());
  });

  test('takes no cursor of another store or of other filters', async () => {
    for (let n = 0; n < 2; n++) await log.request(orm);
    const other = await Audited.open();
    const { nextCursor } = await log.page('?limit=1&outcome=SUCCEEDED,FAILED');
    const cursor = `&cursor=${nextCursor!}`;
    expect((await log.list(`?limit=2&outcome=FAILED,SUCCEEDED${cursor}`)).status).toBe(200);
    for (const refused of [await log.list(`?limit=1${cursor}`), await log.list(`?outcome=SUCCEEDED${cursor}`)])
      expect(refused.body.error).toMatchObject({ code: 'VALIDATION_FAILED', fieldErrors: [{ field: 'cursor' }] });
    expect((await other.list(`?outcome=SUCCEEDED,FAILED${cursor}`)).body.error?.code).toBe('VALIDATION_FAILED');
  });
});

test('requests and members are listed for a year of the store’s clock, cancels and refunds for ever', async () => {
  const { shop } = log;
  const staff = await log.userId('staff');
  const { orderItemId } = await shop.order();
  const requestId = await log.request(orm);
  expect((await log.call('PATCH', `/v1/store/members/${staff}`, { role: 'ADMIN' })).status).toBe(200);
  const canceled = await shop.act(orderItemId, 'cancel', { reason: 'OUT_OF_STOCK', holdRefund: true });
  const refundId = canceled.body.data.refundId as string;
  expect((await shop.seller.call('POST', `/v1/payments/refunds/${refundId}/process`)).status).toBe(200);
  const shown = async () => [
    (await log.items(`?requestId=${requestId}`)).length,
    (await log.ofTarget(staff)).length,
    (await log.ofTarget(orderItemId)).length,
    (await log.ofTarget(refundId)).length,
  ];
  expect(await shown()).toEqual([1, 1, 1, 1]);
  await shop.advance('P364D');
  expect(await shown()).toEqual([1, 1, 1, 1]);
  await shop.advance('P2D');
  expect(await shown()).toEqual([0, 0, 1, 1]);
  const old = encodeURIComponent(new Date(Date.now() + DAY).toISOString());
  expect((await log.items(`?to=${old}`)).every(({ source }) => source === 'DOMAIN')).toBe(true);
}, 60_000);
