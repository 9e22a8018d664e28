/** A store whose members use points. The tests of a suite share it: each has members of its own. */
import { randomUUID } from 'node:crypto';
import { Buyer, pay, type Reply, Seller } from '../../../bin/dev/client.ts';
import { makeStore, query, underTest, until, World } from '../../kernel/world.ts';

export type Fields = Readonly<Record<string, unknown>>;
/** Status and code: what refusals are compared by. */
export const codeOf = ({ status, body }: Reply): readonly [number, string] => [status, body.error?.code ?? 'OK'];
/** The data of an answer that has to be a success. */
export function dataOf({ status, body }: Reply) {
  if (status >= 300) throw new Error(JSON.stringify([status, body.error]));
  return body.data;
}
export const USE = { enabled: true, minBalance: 0, minAmount: 0, unit: 1, maxRatioBp: 10_000, includeDeliveryFee: true };
/** Delivery of goods at a fee. */
export const shipped = (deliveryFee: number): Fields => ({ fulfillment: { type: 'SHIPPING', shipping: { deliveryFee } } });

export interface Line {
  readonly productId: string;
  readonly quantity: number;
}
export interface Entry {
  readonly type: string;
  readonly amount: number;
  readonly balance: number;
  readonly orderId: string | null;
  readonly orderItemId: string | null;
  readonly paymentId: string | null;
  readonly expiresAt: string | null;
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
  /** A change by the seller, positive or negative. */
  async adjust(amount: number, more: Fields = {}): Promise<void> {
    const path = `/v1/customers/${this.customerId}/points/adjustments`;
    dataOf(await this.shop.world.seller.call('POST', path, { amount, reason: '시험', ...more }, { 'idempotency-key': randomUUID() }));
  }
  async balance(): Promise<number> {
    return dataOf(await this.shop.world.seller.call('GET', `/v1/customers/${this.customerId}/points`)).balance as number;
  }
  /** Oldest first, without what the seller adjusted. */
  async history(): Promise<Entry[]> {
    const { items } = dataOf(await this.shop.world.seller.call('GET', `/v1/customers/${this.customerId}/points/history?size=100`));
    return (items as Entry[]).filter(({ type }) => type !== 'ADJUST').toReversed();
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
  start(checkoutId: string, pointAmount: number, more: Fields = {}): Promise<Reply> {
    return this.buyer.start(checkoutId, { pointAmount, guest: undefined, ...more });
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
  static async open(policy: Fields = { use: USE }, live = false): Promise<PointShop> {
    const code = `p${process.pid.toString(36)}-${randomUUID().slice(0, 8)}`;
    const store = await makeStore({ code, name: '적립금 상점', sandbox: true, withProduct: false, live });
    const shop = new PointShop(new World(store, await Seller.login(underTest.api, store)));
    await shop.policy(policy);
    return shop;
  }
  async policy(changes: Fields): Promise<void> {
    dataOf(await this.world.seller.call('PUT', '/v1/store/point-policy', { expiryDays: 365, ...changes }));
  }
  async member(points = 0): Promise<Member> {
    const email = `member-${randomUUID()}@example.com`;
    const buyer = await Buyer.join(underTest.api, this.world.store.storeCode, email);
    const [row] = await query<{ id: string }>('SELECT customer_id AS id FROM customer WHERE email = $1', [email]);
    const member = new Member(this, buyer, row!.id);
    if (points > 0) await member.adjust(points);
    return member;
  }
  async product(salePrice: number, changes: Fields = {}): Promise<string> {
    return (await this.world.product({ salePrice, ...changes })).productId;
  }
  async order(orderId: string): Promise<Order> {
    return dataOf(await this.world.seller.call('GET', `/v1/orders/${orderId}`)) as Order;
  }
  async cancel(orderItemId: string, request: Fields = {}): Promise<Fields> {
    return dataOf(await this.world.act(orderItemId, 'cancel', { reason: 'OTHER', ...request })) as Fields;
  }
}

export const refundsOf = (paymentId: string) =>
  query<{ amount_won: number; status: string }>('SELECT amount_won, status FROM refund WHERE payment_id = $1 ORDER BY created_at', [paymentId]);
/** What providers were asked for. */
export const askedOf = (paymentId: string) =>
  query<{ amount_won: number; status: string }>('SELECT amount_won, status FROM payment_attempt WHERE payment_id = $1 ORDER BY seq', [paymentId]);
