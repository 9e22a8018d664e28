/** A shop that is paid at both providers by merchants of its own, because tests replace its keys and set the states of its merchants. */
import { createHash } from 'node:crypto';
import { type Buyer, call, formOf, get, type Headers_, pay, type Reply } from '../../../bin/dev/client.ts';
import { people, storeToken } from '../../kernel/login.ts';
import { query, underTest, until, type World, world } from '../../kernel/world.ts';

export const PROVIDERS = ['tosspayments', 'portone'] as const;
export type Provider = (typeof PROVIDERS)[number];
export const otherThan = (pg: Provider): Provider => (pg === 'portone' ? 'tosspayments' : 'portone');
export const ENVIRONMENTS = ['TEST', 'LIVE'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

export const SETTINGS = '/v1/store/payment-settings';
export const pathOf = (pg: Provider): string => `/v1/store/payment-providers/${pg}`;
export const optionOf = (pg: Provider) => ({ pg, method: 'CARD' });
export const cardOf = (ending: string): string => `411111111111${ending}`;

/** The credentials of a merchant, whose name is in each of them; `v` and digits at its end are reissued secrets of the same merchant. */
export function keysOf(pg: Provider, name: string, environment: Environment = 'TEST') {
  const prefix = environment.toLowerCase();
  const merchant = name.replace(/v\d+$/, '');
  return pg === 'tosspayments'
    ? { environment, clientKey: `${prefix}_ck_${merchant}`, secretKey: `${prefix}_sk_${name}` }
    : {
        environment,
        storeId: `store-${merchant}`,
        channelKey: `channel-key-${environment === 'LIVE' ? 'live-' : ''}${merchant}`,
        apiSecret: `portone-${name}-secret`,
        webhookSecret: `whsec_${createHash('sha256').update(merchant).digest('base64')}`,
      };
}

export interface Begun {
  readonly buyer: Buyer;
  readonly paymentId: string;
  readonly payUrl: string;
  readonly option: { readonly pg: Provider };
}

export class PaidShop {
  readonly world: World;
  readonly merchant: string;
  readonly productId: string;
  readonly #owner: string;
  private constructor(shop: World, productId: string, owner: string) {
    this.world = shop;
    this.merchant = `m${shop.store.storeCode.replaceAll(/[^a-z0-9]/g, '')}m`;
    this.productId = productId;
    this.#owner = owner;
  }
  static async open(routing: 'AUTO_FAILOVER' | 'PRIORITY_DISPLAY' = 'AUTO_FAILOVER'): Promise<PaidShop> {
    const shop = await world();
    await people(shop);
    const { storeId, storeCode } = shop.store;
    const { productId } = await shop.product({ stockQuantity: 1000 });
    const opened = new PaidShop(shop, productId, await storeToken(`owner@${storeCode}.example`, storeId));
    await opened.change('PUT', SETTINGS, { routing });
    for (const pg of PROVIDERS) await opened.use(pg, opened.merchant);
    return opened;
  }

  owner(method: string, path: string, body?: unknown, headers: Headers_ = {}): Promise<Reply> {
    return call(underTest.api, method, path, { body, headers: { authorization: `Bearer ${this.#owner}`, ...headers } });
  }
  /** A request of the owner that has to succeed. */
  async change(method: string, path: string, body: unknown = {}): Promise<void> {
    const { status, body: reply } = await this.owner(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(reply.error)}`);
  }
  /** Stores the keys of a merchant and verifies them. */
  async use(pg: Provider, merchant: string, environment: Environment = 'TEST'): Promise<void> {
    await this.change('PUT', pathOf(pg), keysOf(pg, merchant, environment));
    await this.change('POST', `${pathOf(pg)}/verify`, { environment });
  }
  async exclusionOf(pg: Provider): Promise<string | null> {
    const { data } = (await this.owner('GET', SETTINGS)).body;
    return (data.providers as { provider: Provider; routingExclusion: string | null }[]).find(({ provider }) => provider === pg)!
      .routingExclusion;
  }
  /** What the simulator does under the merchant's keys. */
  async setState(pg: Provider, state: 'OK' | 'REVOKED' | 'DOWN' | 'SLOW'): Promise<void> {
    await call(underTest.simulator, 'POST', '/__sim/merchants', { body: { pg, name: this.merchant, state } });
  }

  /** A buyer with a checkout starts to pay it. */
  async start(pg: Provider, changes: object = {}): Promise<{ readonly buyer: Buyer; readonly reply: Reply }> {
    const buyer = await this.world.buyer();
    const { checkoutId } = (await buyer.checkout(this.productId)).body.data as { checkoutId: string };
    return { buyer, reply: await buyer.start(checkoutId, { option: optionOf(pg), ...changes }) };
  }
  async begin(pg: Provider): Promise<Begun> {
    const { buyer, reply } = await this.start(pg);
    if (reply.status !== 200) throw new Error(JSON.stringify(reply.body.error));
    return { buyer, ...(reply.body.data as Omit<Begun, 'buyer'>) };
  }
  async buy(pg: Provider, card = cardOf('0000')): Promise<Begun> {
    const begun = await this.begin(pg);
    const end = await pay(begun.payUrl, card);
    if (end.searchParams.get('svcResult') !== 'COMPLETED') throw new Error(`not paid: ${end.href}`);
    return begun;
  }
  /** The seller cancels the item of a payment, which is to be refunded. */
  async cancel(paymentId: string): Promise<void> {
    const [item] = await query<{ id: string }>(
      `SELECT order_item_id AS id FROM order_item WHERE order_id = (SELECT order_id FROM payment WHERE payment_id = $1)`,
      [paymentId],
    );
    const { status, body } = await this.world.act(item!.id, 'cancel', { reason: 'OTHER' });
    if (status >= 300) throw new Error(JSON.stringify(body.error));
  }
  /** Advances the shop's clock while an outcome is unknown, until none of the payments is. */
  async resolve(paymentIds: readonly string[]): Promise<void> {
    await until(
      'every outcome is known',
      async () => {
        const open = await query(`SELECT 1 FROM payment WHERE payment_id = ANY($1) AND status = 'processing'`, [paymentIds]);
        if (open.length > 0) await this.world.advance('PT10S');
        return open.length === 0;
      },
      90_000,
    );
  }
}

/** The buyer pays in the window and comes back once, without waiting for the outcome. */
export async function payOnce(payUrl: string, card = cardOf('0000')): Promise<void> {
  const form = formOf((await get(payUrl)).text, 'pay')!;
  const { location } = await get(`${form.action}/submit?${String(new URLSearchParams({ ...form.fields, card, outcome: 'pay' }))}`);
  await get(location!.href);
}

export interface Attempt {
  readonly attempt_id: string;
  readonly payment_id: string;
  readonly pg: Provider;
  readonly environment: Environment;
  readonly pg_order_id: string;
  readonly status: string;
  readonly credential_id: string;
  readonly set_environment: Environment;
  /** Of the credential set. */
  readonly merchant: string;
  readonly is_serving: boolean;
}
/** The attempts of these payments, each with its credential set. */
export const attemptsOf = (paymentIds: readonly string[]): Promise<Attempt[]> =>
  query<Attempt>(
    `SELECT a.attempt_id, a.payment_id, a.pg, a.environment, a.pg_order_id, a.status, a.credential_id, c.environment AS set_environment,
       c.is_serving,
       regexp_replace(coalesce(public_halves ->> 'clientKey', public_halves ->> 'storeId'), '^(test_ck_|live_ck_|store-)', '') AS merchant
     FROM payment_attempt a JOIN payment_credential c USING (store_id, credential_id) WHERE a.payment_id = ANY($1) ORDER BY 2, a.seq`,
    [paymentIds],
  );
export const refundsOf = (paymentId: string) => query<{ status: string }>('SELECT status FROM refund WHERE payment_id = $1', [paymentId]);
export const untilRefunded = (paymentId: string): Promise<boolean> =>
  until('refunded', async () => (await refundsOf(paymentId))[0]?.status === 'DONE', 60_000);

export interface SimulatorCall {
  readonly pg: Provider;
  readonly merchant: string | null;
  readonly environment: Environment | null;
  readonly method: string;
  readonly path: string;
  readonly status: number | null;
}
const read = async <T>(path: string): Promise<T> => (await call(underTest.simulator, 'GET', `/__sim/${path}`)).body as unknown as T;
export const callsOf = (orderId: string) => read<SimulatorCall[]>(`calls?orderId=${orderId}`);
/** Readings of a random order, which tell whether a provider takes the keys. */
export const verificationsBy = async (pg: Provider, merchant: string): Promise<number> =>
  (await read<SimulatorCall[]>(`calls?merchant=${merchant}`)).filter((one) => one.pg === pg && one.path.includes('/verify-')).length;

export interface Charge {
  readonly pg: Provider;
  readonly merchant: string;
  readonly environment: Environment;
  readonly orderId: string;
  readonly status: string;
}
const CHARGED = /^(?:DONE|PAID|(?:PARTIAL_)?CANCELL?ED)$/;
/** What was ever charged for these payments, refunded or not. */
export async function chargesOf(attempts: readonly Attempt[]): Promise<Charge[]> {
  const orders = new Set(attempts.map(({ pg_order_id: id }) => id));
  return (await read<Charge[]>('payments')).filter(({ orderId, status }) => orders.has(orderId) && CHARGED.test(status));
}

/** Payments that were charged more often than completed, or completed without a charge or without an order. */
export async function moneyProblems(paymentIds: readonly string[]): Promise<string[]> {
  const attempts = await attemptsOf(paymentIds);
  const charges = await chargesOf(attempts);
  const payments = await query<{ payment_id: string; status: string; orders: number }>(
    `SELECT payment_id, status, (SELECT count(*)::int FROM orders o WHERE o.payment_id = p.payment_id) AS orders
     FROM payment p WHERE payment_id = ANY($1)`,
    [paymentIds],
  );
  return payments.flatMap(({ payment_id: id, status, orders }) => {
    const own = new Set(attempts.filter((one) => one.payment_id === id).map((one) => one.pg_order_id));
    const charged = charges.filter(({ orderId }) => own.has(orderId)).length;
    const wanted = status === 'completed' ? 1 : 0;
    return charged === wanted && orders === wanted ? [] : [`${id} is ${status}, charged ${charged} times, with ${orders} orders`];
  });
}
