/** A shop with real payments, whose members review what they bought. The tests of a suite share it: each buys for itself. */
import { type Buyer, pay, type Reply } from '../../../bin/dev/client.ts';
import { until, type World, world } from '../../kernel/world.ts';

export type Fields = Readonly<Record<string, unknown>>;
export interface Bought {
  readonly productId: string;
  readonly orderId: string;
  readonly orderItemId: string;
}
/** Status and code: what most refusals are compared by. */
export const codeOf = ({ status, body }: Reply): readonly [number, string] => [status, body.error?.code ?? 'OK'];
/** The data of an answer that has to be a success. */
export function dataOf({ status, body }: Reply) {
  if (status >= 300) throw new Error(JSON.stringify([status, body.error]));
  return body.data;
}
export const TEXT = { rating: 5, content: '따뜻합니다' };
export const PHOTO = 'https://images.example.com/review.png';

export class ReviewShop {
  readonly world: World;
  readonly member: Buyer;
  private constructor(shop: World, member: Buyer) {
    this.world = shop;
    this.member = member;
  }
  static async open({ live = true }: { readonly live?: boolean } = {}): Promise<ReviewShop> {
    const shop = await world({ live });
    return new ReviewShop(shop, await shop.member());
  }
  get storeId(): string {
    return this.world.store.storeId;
  }

  /** What needs no parcel: provided, it is delivered. */
  async product(changes: object = {}): Promise<string> {
    return (await this.world.product({ fulfillment: { type: 'MANUAL' }, ...changes })).productId;
  }
  async buy(productId: string, who = this.member): Promise<Bought> {
    const { checkoutId } = dataOf(await who.checkout(productId)) as { checkoutId: string };
    const started = dataOf(await who.start(checkoutId, { returnUrl: 'https://shop.example.com/done' }));
    const { paymentId, payUrl } = started as { paymentId: string; payUrl: string };
    await pay(payUrl);
    const orderId = await until('the order', async () => (await who.status(paymentId)).body.data.orderId as string | null);
    const order = dataOf(await this.world.seller.call('GET', `/v1/orders/${orderId}`)) as { items: { orderItemId: string }[] };
    return { productId, orderId, orderItemId: order.items[0]!.orderItemId };
  }
  /** Buys an item and decides on it. */
  async decided(productId?: string, who = this.member): Promise<Bought> {
    const bought = await this.buy(productId ?? (await this.product()), who);
    dataOf(await this.world.act(bought.orderItemId, 'fulfill'));
    dataOf(await who.call('POST', `/storefront/v1/me/order-items/${bought.orderItemId}/decide`, {}));
    return bought;
  }

  write({ productId, orderItemId }: Omit<Bought, 'orderId'>, fields: Fields = {}, who = this.member): Promise<Reply> {
    return who.call('POST', `/storefront/v1/products/${productId}/reviews`, { orderItemId, ...TEXT, ...fields });
  }
  /** Writes a review, which has to succeed. */
  async written(bought: Omit<Bought, 'orderId'>, fields: Fields = {}, who = this.member) {
    return dataOf(await this.write(bought, fields, who)) as { readonly reviewId: string; readonly rewardPoint: number };
  }
  change(reviewId: string, fields: Fields, who = this.member): Promise<Reply> {
    return who.call('PATCH', `/storefront/v1/me/reviews/${reviewId}`, fields);
  }
  remove(reviewId: string, who = this.member): Promise<Reply> {
    return who.call('DELETE', `/storefront/v1/me/reviews/${reviewId}`);
  }
  /** What the shop shows of a product; `path`: `reviews` or `inquiries`. */
  shown(productId: string, path = 'reviews', search = '', who: Buyer | null = null): Promise<Reply> {
    const address = `/storefront/v1/products/${productId}/${path}${search}`;
    const headers = { 'x-store-code': this.world.store.storeCode };
    return who ? who.call('GET', address) : this.world.seller.call('GET', address, undefined, headers);
  }
  /** The data of the store's events of a type, in their order. */
  async events(type: string): Promise<unknown[]> {
    return (await this.world.events({ type })).map(({ data }) => data);
  }
}
