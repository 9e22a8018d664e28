/** A store with a member who files claims. The tests of a suite share it: each has orders of its own. */
import { type Buyer, call, GUEST, type Headers_, pay, type Reply } from '../../../bin/dev/client.ts';
import { query, underTest, until, type World, world } from '../../kernel/world.ts';

export type Stage = 'PAID' | 'CONFIRMED' | 'DISPATCHED' | 'DELIVERED';
export type Fields = Readonly<Record<string, unknown>>;
export interface Bought {
  readonly orderId: string;
  readonly orderNo: string;
  readonly paymentId: string;
  /** Of the first line. */
  readonly productId: string;
  readonly variantId: string;
  readonly orderItemId: string;
  /** Of all lines. */
  readonly itemIds: readonly string[];
}
interface Line {
  readonly quantity?: number;
  /** Fields of a new product. */
  readonly product?: Fields;
}
export const PROOF = { contact: GUEST.phone, orderPassword: GUEST.orderPassword };
export const MANUAL = { fulfillment: { type: 'MANUAL' } };
export const MIND = { reason: 'CHANGE_OF_MIND' };
export const PICKUP = { method: 'SELLER_PICKUP', carrierCode: 'CJ' };
export const PARCEL = { carrierCode: 'CJ', trackingNumber: '123-456' };
/** Status and code: what most refusals are compared by. */
export const codeOf = ({ status, body }: Reply): readonly [number, string] => [status, body.error?.code ?? 'OK'];

/** The refused fields, each once. */
export const fieldsOf = ({ error }: Reply['body']): string[] => [...new Set(error?.fieldErrors?.map(({ field }) => field))];

/** The data of an answer that has to be a success. */
export function dataOf({ status, body }: Reply) {
  if (status >= 300) throw new Error(JSON.stringify([status, body.error]));
  return body.data;
}

export class ClaimShop {
  readonly world: World;
  readonly member: Buyer;
  private constructor(shop: World, member: Buyer) {
    this.world = shop;
    this.member = member;
  }
  static async open(): Promise<ClaimShop> {
    const shop = await world();
    return new ClaimShop(shop, await shop.member());
  }
  get storeId(): string {
    return this.world.store.storeId;
  }

  /** Buys one line; `product`: fields of the new product. */
  buy(stage: Stage = 'PAID', line: Line & { readonly who?: Buyer } = {}): Promise<Bought> {
    return this.buyAll(stage, [line], line.who);
  }
  /** Buys a new product per line, and has the seller bring all items to a stage. */
  async buyAll(stage: Stage, lines: readonly Line[], who = this.member): Promise<Bought> {
    const products = await Promise.all(lines.map(({ product }) => this.world.product(product)));
    const items = lines.map(({ quantity = 1 }, i) => ({ productId: products[i]!.productId, quantity }));
    return this.buyLines(stage, items, products[0]!, who);
  }
  /** Buys products that there are. */
  async buyLines(
    stage: Stage,
    items: readonly { readonly productId: string; readonly quantity: number; readonly optionId?: string }[],
    first: { readonly productId: string; readonly variantId: string },
    who = this.member,
  ): Promise<Bought> {
    const { checkoutId } = dataOf(await who.call('POST', '/storefront/v1/checkout', { items })) as { checkoutId: string };
    const { paymentId, payUrl } = dataOf(await who.start(checkoutId)) as { paymentId: string; payUrl: string };
    await pay(payUrl);
    const ordered = async () => {
      const { data } = (await who.status(paymentId)).body as { data: { orderId: string | null; orderNo: string } };
      return data.orderId !== null && { orderId: data.orderId, orderNo: data.orderNo };
    };
    const { orderId, orderNo } = await until('the order', ordered, 30_000);
    const order = dataOf(await this.world.seller.call('GET', `/v1/orders/${orderId}`)) as { items: { orderItemId: string }[] };
    const itemIds = order.items.map(({ orderItemId }) => orderItemId);
    await this.bring(itemIds, stage);
    return { orderId, orderNo, paymentId, ...first, orderItemId: itemIds[0]!, itemIds };
  }
  /** What is not shipped is provided instead. */
  async bring(itemIds: readonly string[], stage: Stage): Promise<void> {
    if (stage === 'PAID') return;
    const all = (action: string, body: object) => this.world.seller.call('POST', `/v1/order-items/${action}`, body);
    const isManual = (await this.item(itemIds[0]!)).fulfillmentSnapshot.type === 'MANUAL';
    const ids = { orderItemIds: itemIds };
    await all('confirm', ids);
    if (stage === 'CONFIRMED') return;
    if (isManual) return void (await all('fulfill', ids));
    await all('dispatch', { items: itemIds.map((orderItemId) => ({ orderItemId, deliveryMethod: 'DIRECT' })) });
    if (stage === 'DELIVERED') await all('delivered', ids);
  }

  file(orderItemId: string, request: Fields, headers: Headers_ = {}): Promise<Reply> {
    return this.member.call('POST', `/storefront/v1/me/order-items/${orderItemId}/claims`, request, headers);
  }
  preview(orderItemId: string, request: Fields): Promise<Reply> {
    return this.member.call('POST', `/storefront/v1/me/order-items/${orderItemId}/claims/preview`, request);
  }
  async filed(orderItemId: string, request: Fields): Promise<string> {
    return dataOf(await this.file(orderItemId, { ...MIND, ...request })).claimId as string;
  }
  /** A guest's request about an order. */
  asGuest(path: string, body: Fields, more: Headers_ = {}): Promise<Reply> {
    const headers = { 'x-store-code': this.world.store.storeCode, ...more };
    return call(underTest.api, 'POST', `/storefront/v1/guest/orders/${path}`, { body: { ...PROOF, ...body }, headers });
  }
  withdraw(claimId: string, headers: Headers_ = {}): Promise<Reply> {
    return this.member.call('POST', `/storefront/v1/me/claims/${claimId}/withdraw`, {}, headers);
  }
  /** A seller's command; `path`: `approve`, `collect/complete` … */
  act(claimId: string, path: string, body: Fields = {}, headers: Headers_ = {}): Promise<Reply> {
    return this.world.seller.call('POST', `/v1/claims/${claimId}/${path}`, body, headers);
  }
  /** The same, which has to succeed. */
  async acted(claimId: string, path: string, body: Fields = {}) {
    return dataOf(await this.act(claimId, path, body));
  }
  /** Files a claim whose goods are back. */
  async collected(orderItemId: string, request: Fields, inspection: Fields = {}): Promise<string> {
    const claimId = await this.filed(orderItemId, request);
    await this.acted(claimId, 'collect', PICKUP);
    await this.acted(claimId, 'collect/complete', inspection);
    return claimId;
  }

  async claim(claimId: string) {
    return dataOf(await this.world.seller.call('GET', `/v1/claims/${claimId}`));
  }
  /** As its seller sees it. */
  async item(orderItemId: string) {
    return dataOf(await this.world.seller.call('GET', `/v1/order-items/${orderItemId}`));
  }
  /** As its buyer sees it. */
  async buyersItem({ orderId, orderItemId }: Bought) {
    const order = dataOf(await this.member.call('GET', `/storefront/v1/me/orders/${orderId}`)) as { items: { orderItemId: string }[] };
    // oxlint-disable-next-line typescript/no-explicit-any -- tests read responses of every shape
    return order.items.find((item) => item.orderItemId === orderItemId) as any;
  }
  async stock(variantId: string): Promise<number> {
    const [row] = await query<{ n: number }>('SELECT stock_quantity AS n FROM variant WHERE variant_id = $1', [variantId]);
    return row!.n;
  }
  /** Reason, units and units that are no stock, in their order. */
  async movements(variantId: string): Promise<unknown[][]> {
    const rows = await query<{ reason: string; quantity: number; unsellable_quantity: number }>(
      `SELECT reason, quantity, unsellable_quantity FROM stock_movement WHERE variant_id = $1 AND reason NOT IN ('SALE', 'INITIAL')
       ORDER BY at, reason COLLATE "C"`,
      [variantId],
    );
    return rows.map((row) => [row.reason, row.quantity, row.unsellable_quantity]);
  }
  /** An order's refunds, once the provider has made those that are not held. */
  refunds(orderId: string): Promise<{ status: string; won: number }[]> {
    return until('refunds settled', async () => {
      const rows = await query<{ status: string; won: number }>(
        'SELECT status, amount_won AS won FROM refund WHERE order_id = $1 ORDER BY created_at, refund_id',
        [orderId],
      );
      return rows.every(({ status }) => status !== 'PENDING') && rows;
    });
  }
  /** What went back according to the provider. */
  async paidBack(orderNo: string): Promise<number[]> {
    return (await ledger()).get(`${orderNo}-01`)!;
  }
}

/** The amounts that the provider paid back, by its order id. */
export async function ledger(): Promise<ReadonlyMap<string, number[]>> {
  const payments = (await call(underTest.simulator, 'GET', '/__sim/payments')).body as unknown as {
    orderId: string;
    cancels: { amount: number }[];
  }[];
  return new Map(payments.map(({ orderId, cancels }) => [orderId, cancels.map(({ amount }) => amount)]));
}

/** How many rows there are of whatever a claim could write. */
export async function rowCounts(storeId: string): Promise<Fields> {
  const tables = ['claim', 'claim_step', 'event', 'stock_movement', 'refund', 'flow_step', 'run', 'command_text', 'operation'];
  const counted = await Promise.all(
    tables.map(async (table) => {
      const [row] = await query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table} WHERE store_id = $1`, [storeId]);
      return [table, row!.n] as const;
    }),
  );
  return Object.fromEntries(counted);
}
