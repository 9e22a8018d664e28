/** What the chapters of `npm run demo` share: the shop's state, its seller, and how a step is verified and shown. */
import type { CreatedStore } from '../../../db/identity/createStore.ts';
import { type Buyer, pay, type Seller } from '../client.ts';
import type { DevelopmentSystem } from '../developmentSystem.ts';
import { until } from '../until.ts';

export interface DemoTarget {
  readonly system: DevelopmentSystem;
  readonly store: CreatedStore;
  readonly close: () => Promise<void>;
}

export const print = (text: string) => process.stdout.write(`${text}\n`);
/** A step that does not hold ends the demo with exit code 1. */
export function hold(what: string, holds: boolean, seen: unknown): void {
  if (!holds) throw new Error(`${what}: did not hold; seen ${JSON.stringify(seen)}`);
  print(`  ✓ ${what}`);
}

/** Where buyers go back to: https, because the shop's payments are real. */
export const RETURN = { returnUrl: 'https://shop.example.com/done' };

export interface Purchase {
  readonly paymentId: string;
  readonly orderId: string;
  readonly orderItemId: string;
}

/** The state that each chapter leaves for the next. */
export class Day {
  readonly target: DemoTarget;
  readonly seller: Seller;
  readonly heard: string[] = [];
  receiverIsDown = true;
  product = { productId: '', optionId: '' };
  webhookId = '';
  payment = { paymentId: '', orderId: '', orderNo: '' };
  item = { orderItemId: '', workflowId: '' };

  constructor(target: DemoTarget, seller: Seller) {
    this.target = target;
    this.seller = seller;
  }
  link(workflowId: string): void {
    const { temporalUi, temporalAddress, temporalNamespace } = this.target.system;
    print(`    ${temporalUi ?? temporalAddress}/namespaces/${temporalNamespace}/workflows/${encodeURIComponent(workflowId)}`);
  }
  async sell(method: string, path: string, body?: unknown) {
    const reply = await this.seller.call(method, path, body);
    if (reply.body.error) throw new Error(`${method} ${path}: ${reply.body.error.code}`);
    return reply.body.data;
  }
  act(action: string, body: object = {}) {
    return this.sell('POST', `/v1/order-items/${this.item.orderItemId}/${action}`, body);
  }
  async stock(): Promise<number> {
    return (await this.sell('GET', `/v1/products/${this.product.productId}`)).variants[0].stockQuantity as number;
  }
  /** A member buys so many of the product. */
  async buyAs(member: Buyer, quantity: number): Promise<Purchase> {
    const { body } = await member.call('POST', '/storefront/v1/checkout', { items: [{ ...this.product, quantity }] });
    return this.pay(member, body.data.checkoutId as string);
  }
  /** Starts a member's payment and pays. */
  async pay(member: Buyer, checkoutId: string, start: object = {}): Promise<Purchase> {
    const started = (await member.start(checkoutId, { ...RETURN, ...start })).body.data as { paymentId: string; payUrl: string };
    const { paymentId, payUrl } = started;
    await pay(payUrl);
    const { orderId } = (await member.status(paymentId)).body.data as { orderId: string };
    const { orderItemId } = (await this.sell('GET', `/v1/orders/${orderId}`)).items[0] as { orderItemId: string };
    return { paymentId, orderId, orderItemId };
  }
  async deliver(orderItemId: string): Promise<void> {
    for (const [action, body] of [['confirm'], ['dispatch', { deliveryMethod: 'DIRECT' }], ['delivered']] as const)
      await this.sell('POST', `/v1/order-items/${orderItemId}/${action}`, body ?? {});
  }
  /** Waits for the end of a payment's first refund. */
  async refunded(paymentId: string): Promise<void> {
    const refund = await until('the refund', async () => {
      const [found] = (await this.sell('GET', `/v1/payments/${paymentId}`)).refunds as { refundId: string; status: string }[];
      return found?.status === 'DONE' && found;
    });
    hold(`refund ${refund.refundId} is DONE at the provider`, true, refund);
  }
}
