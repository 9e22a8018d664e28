/** Payments that race changes of their shop's credentials, priority and sandbox mode: each keeps the set it was started with. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { pay, type Reply } from '../../../bin/dev/client.ts';
import { query } from '../../kernel/world.ts';
import {
  type Attempt,
  attemptsOf,
  callsOf,
  cardOf,
  chargesOf,
  type Environment,
  ENVIRONMENTS,
  moneyProblems,
  optionOf,
  otherThan,
  PaidShop,
  pathOf,
  PROVIDERS,
  refundsOf,
  SETTINGS,
  untilRefunded,
} from './shop.ts';

const ATTEMPTS = Number(process.env['PAYMENT_ATTEMPTS'] ?? 12);
const BUYERS_AT_ONCE = 8;
const RETURN = { returnUrl: 'https://shop.example.com/done' };
const TERMS = { termsUrl: 'https://a.kr/t', termsVersion: '1', privacyUrl: 'https://a.kr/p', privacyVersion: '1' };

let shop: PaidShop;
const race = { isRunning: true };
const paymentIds: string[] = [];
const refusals: string[] = [];
const answers = new Set<string>();

const codeOf = ({ status, body }: Reply): string => `${status} ${body.error?.code ?? 'OK'}`;
const untilStopped = async (work: (n: number) => Promise<void>): Promise<void> => {
  for (let n = 0; race.isRunning; n++) await work(n);
};

/** Each pair of environments gets keys of another merchant, again and again. */
const replaceKeys = () =>
  PROVIDERS.map((pg) =>
    untilStopped(async (n) => {
      const merchant = `${shop.merchant}${pg[0]}${n}x`;
      for (const environment of ENVIRONMENTS) await shop.use(pg, merchant, environment);
    }),
  );
const verifyAgain = () =>
  untilStopped(async (n) => {
    const environment = ENVIRONMENTS[n % 2];
    answers.add(codeOf(await shop.owner('POST', `${pathOf(PROVIDERS[n % 2]!)}/verify`, { environment })));
    await sleep(30);
  });
const switchSettings = () =>
  untilStopped(async (n) => {
    const priority = n % 2 === 0 ? PROVIDERS.toReversed() : PROVIDERS;
    answers.add(codeOf(await shop.owner('PUT', SETTINGS, { priority })));
    answers.add(codeOf(await shop.owner('PUT', SETTINGS, { sandboxMode: n % 4 < 2 })));
    await sleep(60);
  });

/** Every third buyer is declined first, and pays at the other provider then. */
async function buyOne(n: number): Promise<void> {
  const pg = PROVIDERS[n % 2]!;
  const { buyer, reply } = await shop.start(pg, RETURN);
  if (reply.status !== 200) return void refusals.push(codeOf(reply));
  let { paymentId, payUrl } = reply.body.data as { paymentId: string; payUrl: string };
  paymentIds.push(paymentId);
  await sleep(Math.random() * 400);
  if (n % 3 === 0) {
    await pay(payUrl, cardOf('0001'));
    const again = await buyer.call('POST', `/storefront/v1/payments/${paymentId}/attempts`, { option: optionOf(otherThan(pg)) });
    if (again.status !== 200) return void refusals.push(codeOf(again));
    payUrl = (again.body.data as { payUrl: string }).payUrl;
    await sleep(Math.random() * 400);
  }
  await pay(payUrl);
}

let attempts: readonly Attempt[];
beforeAll(async () => {
  shop = await PaidShop.open();
  for (const pg of PROVIDERS) await shop.use(pg, shop.merchant, 'LIVE');
  await shop.change('PATCH', '/v1/store', TERMS);
  await shop.change('PUT', SETTINGS, { paymentDomains: ['shop.example.com'] });
  const changes = [...replaceKeys(), verifyAgain(), switchSettings()];
  let next = 0;
  const buyers = Array.from({ length: BUYERS_AT_ONCE }, async () => {
    while (next < ATTEMPTS) await buyOne(next++);
  });
  await Promise.all(buyers).finally(() => (race.isRunning = false));
  await Promise.all(changes);
  await shop.resolve(paymentIds);
  attempts = await attemptsOf(paymentIds);
}, 300_000);

describe('payments that race changes of credentials', () => {
  test('are all paid: there always is a verified set', async () => {
    expect(refusals).toEqual([]);
    const statuses = await query('SELECT status, count(*)::int AS n FROM payment WHERE payment_id = ANY($1) GROUP BY 1', [paymentIds]);
    expect(statuses).toEqual([{ status: 'completed', n: ATTEMPTS }]);
    const known = /^(?:200 OK|409 (?:PAYMENT_CREDENTIAL_CHANGED|LIVE_GATE_NOT_MET))$/;
    expect([...answers].filter((answer) => !known.test(answer))).toEqual([]);
  });
  test('were started with many sets, in both environments, most of which are replaced', () => {
    expect(new Set(attempts.map((one) => one.credential_id)).size).toBeGreaterThan(4);
    expect(new Set(attempts.map(({ environment }) => environment))).toEqual(new Set<Environment>(ENVIRONMENTS));
    expect(attempts.some((one) => !one.is_serving)).toBe(true);
  });
  test('are charged once each, by the merchant and in the environment of their own set', async () => {
    expect(await moneyProblems(paymentIds)).toEqual([]);
    expect(attempts.filter((one) => one.environment !== one.set_environment)).toEqual([]);
    const charges = await chargesOf(attempts);
    for (const { pg_order_id: orderId, pg, merchant, environment } of attempts) {
      const seen = [...(await callsOf(orderId)), ...charges.filter((one) => one.orderId === orderId)];
      expect(seen.length).toBeGreaterThan(0);
      expect(seen.filter((one) => one.pg !== pg || one.merchant !== merchant || one.environment !== environment)).toEqual([]);
    }
  });
  test('are refunded under the set they were paid with, although it is replaced', async () => {
    const replaced = attempts.filter((one) => one.status === 'APPROVED' && !one.is_serving);
    const chosen = PROVIDERS.flatMap((pg) =>
      ENVIRONMENTS.flatMap((environment) => replaced.filter((one) => one.pg === pg && one.environment === environment).slice(0, 1)),
    );
    expect(chosen.length).toBeGreaterThan(1);
    for (const { payment_id: id } of chosen) await shop.cancel(id);
    for (const { payment_id: id, pg_order_id: orderId, merchant } of chosen) {
      await untilRefunded(id);
      expect(await refundsOf(id)).toEqual([{ status: 'DONE' }]);
      const cancels = (await callsOf(orderId)).filter(({ path }) => path.includes('/cancel'));
      expect(cancels.map((one) => [one.merchant, one.status])).toEqual([[merchant, 200]]);
    }
  });
});

describe('the database refuses an attempt', () => {
  let seq = 90;
  /** A copy of an attempt with other columns. */
  const insert = async (changes: object) => {
    const { attempt_id: id } = attempts.find((one) => one.environment === 'TEST')!;
    const others = { attempt_id: `att_${Date.now()}`, seq: seq++, status: 'EXPIRED', payment_key: null, payment_token: null, ...changes };
    return query(
      `INSERT INTO payment_attempt SELECT (jsonb_populate_record(a, $2)).* FROM payment_attempt a WHERE attempt_id = $1
        RETURNING attempt_id`,
      [id, JSON.stringify({ pg_order_id: `x-${Date.now()}`, ...others })],
    );
  };
  const setOf = async (storeId: string, pg: string, environment: Environment): Promise<string> =>
    (
      await query<{ id: string }>(
        'SELECT credential_id AS id FROM payment_credential WHERE store_id = $1 AND provider = $2 AND environment = $3 LIMIT 1',
        [storeId, pg, environment],
      )
    )[0]!.id;
  const violation = { code: '23503', table: 'payment_attempt' };
  const pgOf = () => attempts.find((one) => one.environment === 'TEST')!.pg;

  test('with a set of the other environment', async () => {
    const { storeId } = shop.world.store;
    await expect(insert({ credential_id: await setOf(storeId, pgOf(), 'LIVE') })).rejects.toMatchObject(violation);
    expect(await insert({ credential_id: await setOf(storeId, pgOf(), 'TEST') })).toHaveLength(1);
  });
  test('in another environment than its payment', async () => {
    const { storeId } = shop.world.store;
    const credentialId = await setOf(storeId, pgOf(), 'LIVE');
    await expect(insert({ environment: 'LIVE', credential_id: credentialId })).rejects.toMatchObject(violation);
  });
  test('with a set of another store', async () => {
    const other = await PaidShop.open();
    const credentialId = await setOf(other.world.store.storeId, pgOf(), 'TEST');
    await expect(insert({ credential_id: credentialId })).rejects.toMatchObject(violation);
  });
});
