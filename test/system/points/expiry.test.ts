/** Points expire: by the job in real time, by an advance of a sandbox clock, each lot once (docs/contract.md#points). */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { MikroORM } from '@mikro-orm/postgresql';
import { advanceClock } from '../../../api/sandbox/advance.ts';
import { inTenant, REQUEST, tenancyOf } from '../../../db/kernel/tx.ts';
import { createLog } from '../../../db/kernel/log.ts';
import { openOrm } from '../../../db/orm.ts';
import { grantPoints } from '../../../db/points/ledger.ts';
import { DAY, korean, MINUTE } from '../../../domain/kernel/time.ts';
import { JOB_NAMES } from '../../../workflows/kernel/jobs.ts';
import { adjust, entriesOf, joined, nowOf, pointsOf } from '../../kernel/points.ts';
import { query, temporalClient, underTest, until, type World, world } from '../../kernel/world.ts';

let orm: MikroORM;
beforeAll(async () => {
  orm = await openOrm(underTest.databaseUrl, 2);
});
afterAll(() => orm.close());
const grant = async (shop: World, customerId: string, amount: number, expiresAt: string) =>
  expect((await adjust(shop, customerId, { amount, reason: 'r', expiresAt })).status).toBe(201);
const expired = async (shop: World, customerId: string) => (await entriesOf(shop, customerId)).filter(({ type }) => type === 'EXPIRE');

test('an advance expires each lot at its mark, in the order of spending, however far it goes', async () => {
  const shop = await world();
  const { customerId } = await joined(shop);
  const start = await nowOf(shop);
  const midnight = korean(start + 40 * DAY).slice(0, 10);
  const times = [korean(start + 61 * MINUTE), `${midnight}T00:00:00+09:00`, `${midnight}T23:59:59+09:00`, korean(start + 300 * DAY)];
  for (const [n, expiresAt] of times.toReversed().entries()) await grant(shop, customerId, 10 * (n + 1), expiresAt);
  expect(await shop.advance('P365D')).toMatchObject({ settled: true });
  const entries = await expired(shop, customerId);
  expect(entries.map(({ amount, expiresAt }) => [amount, expiresAt])).toEqual([
    [-40, times[0]],
    [-30, times[1]],
    [-20, times[2]],
    [-10, times[3]],
  ]);
  for (const { expiresAt, createdAt } of entries) {
    const late = Date.parse(createdAt) - Date.parse(expiresAt!);
    expect(late).toBeGreaterThanOrEqual(0);
    expect(late).toBeLessThanOrEqual(10 * MINUTE);
    expect(Date.parse(createdAt) % (10 * MINUTE)).toBe(0);
  }
  expect(entries.at(-1)!.balance).toBe(0);
});

test('each lot expires at its mark even while a run of the store does not get done', async () => {
  const shop = await world();
  const { storeId } = shop.store;
  const { customerId } = await joined(shop);
  const start = await nowOf(shop);
  const times = [korean(start + 5 * DAY), korean(start + 5 * DAY + 8 * MINUTE), korean(start + 40 * DAY)];
  for (const expiresAt of times) await grant(shop, customerId, 10, expiresAt);
  // Something that failed once, and is to be tried again much later.
  const never = await query<{ outbox_id: string }>(
    `INSERT INTO outbox (store_id, message, workflow_type, workflow_id, entity_id, created_at, attempts, not_before)
     VALUES ($1, 'wake', 'payment', $2, 'pay_x', now(), 1, now() + interval '1 day') RETURNING outbox_id`,
    [storeId, `payment/${storeId}/pay_x`],
  );
  // The minute after which a step is not waited for takes a second.
  const from = Date.now();
  const clock = { now: () => from + (Date.now() - from) * 60 };
  const operation = { principal: 'test', key: 'hanging', id: 'sandbox.advanceClock', fingerprint: 'f' };
  const deps = { orm, clock, temporal: await temporalClient(), log: createLog('test', 'fatal') };
  const advanced = advanceClock(deps, storeId, { by: 60 * DAY }, operation);
  expect(await advanced).toMatchObject({ settled: false });
  const entries = await until('all have expired', async () => {
    const now = await expired(shop, customerId);
    return now.length === times.length && now;
  });
  for (const { expiresAt, createdAt } of entries) {
    const late = Date.parse(createdAt) - Date.parse(expiresAt!);
    expect([expiresAt, late >= 0 && late <= 10 * MINUTE]).toEqual([expiresAt, true]);
  }
  await query('DELETE FROM outbox WHERE outbox_id = $1', [never[0]!.outbox_id]);
});

test('a lot is dead from its last second on, before any job has run', async () => {
  const shop = await world();
  const { customerId } = await joined(shop);
  const expiresAt = korean((await nowOf(shop)) + 2 * DAY).slice(0, 10) + 'T23:59:59+09:00';
  await grant(shop, customerId, 100, expiresAt);
  const at = async (to: string) => {
    await shop.seller.call('POST', '/v1/sandbox/clock', { to });
    return (await pointsOf(shop, customerId)).balance;
  };
  expect(await at(expiresAt.replace('23:59:59', '23:59:50'))).toBe(100);
  expect(await at(expiresAt)).toBe(0);
  const refused = await adjust(shop, customerId, { amount: -1, reason: 'r' });
  expect([refused.body.error!.code, refused.body.error!.details]).toEqual(['POINT_BALANCE_INSUFFICIENT', { balance: 0 }]);
  // The next operation that moves points writes what is due first.
  await grant(shop, customerId, 5, korean((await nowOf(shop)) + 90 * DAY));
  expect((await entriesOf(shop, customerId)).map(({ type, amount, balance }) => [type, amount, balance])).toEqual([
    ['ADJUST', 100, 100],
    ['EXPIRE', -100, 0],
    ['ADJUST', 5, 5],
  ]);
});

test('a year in one step and in many ends with the same ledger', async () => {
  const steps = Number(process.env['POINT_STEPS'] ?? 12);
  const [one, many] = await Promise.all([world(), world()]);
  const members = [await joined(one), await joined(many)];
  const start = Math.max(await nowOf(one), await nowOf(many));
  for (const [i, shop] of [one, many].entries())
    for (const days of [3, 30, 31, 200, 364, 500])
      await grant(shop, members[i]!.customerId, days, korean(start + days * DAY).slice(0, 10) + 'T23:59:59+09:00');
  await one.advance('P365D');
  for (let n = 0; n < steps; n++) await many.advance(`PT${(365 * 24) / steps}H`);
  const shown = async (shop: World, i: number) =>
    (await entriesOf(shop, members[i]!.customerId)).map(({ type, amount, balance, expiresAt, createdAt }) =>
      type === 'EXPIRE' ? { type, amount, balance, expiresAt, createdAt } : { type, amount, balance, expiresAt },
    );
  expect(await shown(many, 1)).toEqual(await shown(one, 0));
  expect(await shown(one, 0)).toHaveLength(11);
}, 120_000);

test('the worker has made a Schedule for each job, and a run of point-expiry expires dead lots in all stores, once', async () => {
  const { schedule } = await temporalClient();
  const shops = [await world(), await world({ sandbox: false })];
  const members: string[] = [];
  for (const shop of shops) {
    const { customerId } = await joined(shop);
    members.push(customerId);
    const { storeId } = shop.store;
    // Dead for long: the run counts as the last mark.
    const past = new Date(Date.now() - DAY);
    await inTenant(orm, tenancyOf(storeId, 0, Date.now()), REQUEST, (tx) =>
      grantPoints(tx, { customerId, type: 'ADJUST', amountWon: 30, expiresAt: past }),
    );
  }
  for (const job of JOB_NAMES) {
    const { spec, action } = await until(`the schedule ${job}`, () =>
      schedule
        .getHandle(job)
        .describe()
        .catch(() => null),
    );
    expect([spec.intervals?.length, action.taskQueue]).toEqual([1, 'runs']);
  }
  const count = async () =>
    (
      await query<{ n: number }>(`SELECT count(*)::int AS n FROM point_history WHERE type = 'EXPIRE' AND customer_id = ANY ($1)`, [members])
    )[0]!.n;
  const handle = schedule.getHandle('point-expiry');
  await handle.trigger();
  await until('both have expired', async () => (await count()) === 2);
  await handle.trigger();
  await handle.trigger();
  await until('the runs have ended', async () => (await handle.describe()).info.runningActions.length === 0);
  expect(await count()).toBe(2);
});
