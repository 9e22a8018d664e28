/** A store whose members use points. The tests of a suite share it: each has members of its own. */
import { randomUUID } from 'node:crypto';
import { Buyer, pay, type Reply, Seller } from '../../../bin/dev/client.ts';
import { openOrm } from '../../../db/orm.ts';
import { inTenant, REQUEST, tenancyOf, type Tx } from '../../../db/kernel/tx.ts';
import { deductPoints, grantPoints, readBalance } from '../../../db/points/ledger.ts';
import { DAY } from '../../../domain/kernel/time.ts';
import { customerIdOf } from '../../kernel/points.ts';
import { makeStore, query, underTest, until, World } from '../../kernel/world.ts';

let opened: ReturnType<typeof openOrm> | undefined;
const orm = () => (opened ??= openOrm(underTest.databaseUrl, 2));
/** After a suite. */
export const closeShops = async (): Promise<void> => (await opened)?.close();

export type Fields = Readonly<Record<string, unknown>>;
/** Status and code: what refusals are compared by. */
export const codeOf = ({ status, body }: Reply): readonly [number, string] => [status, body.error?.code ?? 'OK'];
/** The data of an answer that has to be a success. */
export function dataOf({ status, body }: Reply) {
  if (status >= 300) throw new Error(JSON.stringify([status, body.error]));
  return body.data;
}
export const USE = { enabled: true, minBalance: 0, minAmount: 0, unit: 1, maxRatioBp: 10_000, includeDeliveryFee: true };
const OFF = { ...USE, enabled: false };
export interface Policy {
  readonly use?: typeof USE;
  readonly purchaseEarn?: { readonly enabled: boolean; readonly rateBp: number };
}
export const FREE = { fulfillment: { type: 'SHIPPING', shipping: { deliveryType: 'FREE' } } };
/** Of real payments only https. */
export const RETURN = 'https://shop.example.com/done';
/** Delivery of goods at a fee. */
export const shipped = (deliveryFee: number): Fields => ({ fulfillment: { type: 'SHIPPING', shipping: { deliveryFee } } });

export interface Line {
  readonly productId: string;
  readonly quantity: number;
}
export interface Entry {
  readonly type: string;
  readonly amount: number;
  readonly orderId: string | null;
  readonly orderItemId: string | null;
  readonly paymentId: string | null;
  readonly expiresAt: Date | null;
}

/** A member with their points. */
export class Member {
  readonly shop: PointShop;
  readonly buyer: Buyer;
  readonly customerId: string;
  constructor(shop: PointShop, buyer: Buyer, customerId: string) {
    this.shop = shop;
    this.buyer = buyer;
    this.customerId = customerId;
  }
  /** A change by the seller, positive or negative; points live for a year. */
  async adjust(amount: number, expiresAt?: Date): Promise<void> {
    const { customerId } = this;
    await this.shop.transact(async (tx) => {
      const year = new Date(tx.at + 365 * DAY);
      if (amount < 0) return deductPoints(tx, { customerId, type: 'ADJUST', amountWon: -amount, memo: '시험' });
      return grantPoints(tx, { customerId, type: 'ADJUST', amountWon: amount, expiresAt: expiresAt ?? year, memo: '시험' });
    });
  }
  balance(): Promise<number> {
    return this.shop.transact((tx) => readBalance(tx, this.customerId));
  }
  /** What is left, in the order in which it is spent. */
  lots() {
    return query<{ type: string; amount: number; remaining: number; expiresAt: Date }>(
      `SELECT type, amount_won::int AS amount, remaining_won::int AS remaining, expires_at AS "expiresAt" FROM point_lot
       WHERE customer_id = $1 AND remaining_won > 0 ORDER BY expires_at`,
      [this.customerId],
    );
  }
  /** Oldest first, without what the seller adjusted. */
  history(): Promise<Entry[]> {
    return query<Entry>(
      `SELECT h.type, h.amount_won::int AS amount, coalesce(h.order_id, p.order_id) AS "orderId", h.order_item_id AS "orderItemId",
         h.payment_id AS "paymentId", h.expires_at AS "expiresAt"
       FROM point_history h LEFT JOIN payment p ON p.payment_id = h.payment_id
       WHERE h.customer_id = $1 AND h.type <> 'ADJUST' ORDER BY h.seq`,
      [this.customerId],
    );
  }
  /** Type and amount of each. */
  async moves(): Promise<(readonly [string, number])[]> {
    return (await this.history()).map(({ type, amount }) => [type, amount] as const);
  }
  async checkout(...items: readonly Line[]): Promise<string> {
    return dataOf(await this.buyer.call('POST', '/storefront/v1/checkout', { items })).checkoutId as string;
  }
  read(checkoutId: string): Promise<Reply> {
    return this.buyer.call('GET', `/storefront/v1/checkout/${checkoutId}`);
  }
  price(checkoutId: string, pointAmount: number, more: Fields = {}): Promise<Reply> {
    return this.buyer.call('POST', `/storefront/v1/checkout/${checkoutId}/pricing`, { pointAmount, ...more });
  }
  /** Asks again under the same key where a busy machine answers 503. */
  async start(checkoutId: string, pointAmount: number, more: Fields = {}): Promise<Reply> {
    const request = { pointAmount, guest: undefined, returnUrl: RETURN, ...more };
    const key = { 'idempotency-key': randomUUID() };
    for (;;) {
      const reply = await this.buyer.start(checkoutId, request, key);
      if (reply.status !== 503) return reply;
    }
  }
  /** Starts with points, and pays the rest. */
  async buy(pointAmount: number, ...items: readonly Line[]): Promise<Order> {
    const started = dataOf(await this.start(await this.checkout(...items), pointAmount)) as { paymentId: string; payUrl: string | null };
    if (started.payUrl !== null) await pay(started.payUrl);
    const orderId = await until('the order', async () => (await this.buyer.status(started.paymentId)).body.data.orderId as string | null);
    return this.shop.order(orderId);
  }
}

export interface Order {
  readonly orderId: string;
  readonly payment: Fields & { readonly paymentId: string };
  readonly amounts: Fields;
  readonly delivery: Fields;
  readonly items: readonly (Fields & { readonly orderItemId: string; readonly pointAllocation: number })[];
}

export class PointShop {
  readonly world: World;
  private constructor(world: World) {
    this.world = world;
  }
  /** `live`: of real payments, whose purchases earn. */
  static async open(policy: Policy = { use: USE }, live = false): Promise<PointShop> {
    const code = `p${process.pid.toString(36)}-${randomUUID().slice(0, 8)}`;
    const store = await makeStore({ code, name: '적립금 상점', sandbox: true, withProduct: false, live });
    const shop = new PointShop(new World(store, await Seller.login(underTest.api, store)));
    await shop.policy(policy);
    return shop;
  }
  /** The whole of it: what is left out is off. */
  async policy({ use = OFF, purchaseEarn = { enabled: false, rateBp: 0 } }: Policy): Promise<void> {
    const { enabled, minBalance, minAmount, unit, maxRatioBp, includeDeliveryFee } = use;
    await query(
      `INSERT INTO point_policy VALUES ($1, false, 0, 0, $2, $3, $4, $5, $6, $7, $8, $9, 365, now(), now())
       ON CONFLICT (store_id) DO UPDATE SET earn_enabled = $2, earn_rate_bp = $3, use_enabled = $4, min_balance_won = $5,
         min_amount_won = $6, use_unit = $7, max_ratio_bp = $8, includes_delivery_fee = $9`,
      [this.storeId, purchaseEarn.enabled, purchaseEarn.rateBp, enabled, minBalance, minAmount, unit, maxRatioBp, includeDeliveryFee],
    );
  }
  get storeId(): string {
    return this.world.store.storeId;
  }
  /** What only the system does by itself, at the store's time. */
  async transact<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const [row] = await query<{ offset: string }>('SELECT clock_offset_ms AS offset FROM store WHERE store_id = $1', [this.storeId]);
    return inTenant(await orm(), tenancyOf(this.storeId, Number(row!.offset), Date.now()), REQUEST, work);
  }
  async member(points = 0): Promise<Member> {
    const buyer = await Buyer.join(underTest.api, this.world.store.storeCode);
    const member = new Member(this, buyer, customerIdOf(buyer));
    if (points > 0) await member.adjust(points);
    return member;
  }
  /** Delivered for nothing, unless said otherwise. */
  async product(salePrice: number, changes: Fields = {}): Promise<string> {
    return (await this.world.product({ salePrice, ...FREE, ...changes })).productId;
  }
  async order(orderId: string): Promise<Order> {
    return dataOf(await this.world.seller.call('GET', `/v1/orders/${orderId}`)) as Order;
  }
  async cancel(orderItemId: string, request: Fields = {}): Promise<Fields> {
    return dataOf(await this.world.act(orderItemId, 'cancel', { reason: 'OTHER', ...request })) as Fields;
  }
}

export const refundsOf = (paymentId: string) =>
  query<{ amount_won: number; status: string }>('SELECT amount_won, status FROM refund WHERE payment_id = $1 ORDER BY created_at', [
    paymentId,
  ]);
/** What providers were asked for. */
export const refundRequestsOf = (paymentId: string) =>
  query<{ amount_won: number; status: string }>('SELECT amount_won, status FROM payment_attempt WHERE payment_id = $1 ORDER BY seq', [
    paymentId,
  ]);
