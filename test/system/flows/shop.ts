/** A shop that sells products by the presets, and orders of them. */
import { pay, type Buyer } from '../../../bin/dev/client.ts';
import { type World, world } from '../../kernel/world.ts';

export interface Bought {
  readonly orderId: string;
  readonly orderNo: string;
  readonly itemIds: readonly string[];
}
type Reply = Awaited<ReturnType<World['seller']['call']>>;

export class FlowShop {
  readonly world: World;
  constructor(shop: World) {
    this.world = shop;
  }
  static open = async (): Promise<FlowShop> => new FlowShop(await world());
  seller = (method: string, path: string, body?: object): Promise<Reply> => this.world.seller.call(method, path, body);

  /** Publishes a flow by a preset, or by a graph, and returns its id. */
  async flow(content: { readonly presetKey: string } | { readonly graph: object }, key = 'own'): Promise<string> {
    const made = await this.seller('POST', '/v1/commerce-flows', { key, name: key, ...content });
    if (made.status !== 201) throw new Error(JSON.stringify(made.body.error));
    const flowId = made.body.data.flowId as string;
    const published = await this.seller('POST', `/v1/commerce-flows/${flowId}/draft/publish`);
    if (published.status !== 201) throw new Error(JSON.stringify(published.body.error));
    return flowId;
  }
  /** A product that takes this flow. */
  product = (flowId: string, changes: object = {}) => this.world.product({ flowId, ...changes });

  /** Buys these products in one order. */
  buy(buyer: Buyer, productIds: readonly string[], quantity = 1): Promise<Bought> {
    return this.buyLines(
      buyer,
      productIds.map((productId) => ({ productId, quantity })),
    );
  }
  async buyLines(
    buyer: Buyer,
    items: readonly { readonly productId: string; readonly optionId?: string; readonly quantity: number }[],
  ): Promise<Bought> {
    const checkout = await buyer.call('POST', '/storefront/v1/checkout', { items });
    if (checkout.status >= 300) throw new Error(JSON.stringify(checkout.body.error));
    const started = await buyer.start(checkout.body.data.checkoutId as string);
    if (started.status !== 200) throw new Error(JSON.stringify(started.body.error));
    const { paymentId, payUrl } = started.body.data as { paymentId: string; payUrl: string };
    await pay(payUrl);
    const { orderId, orderNo } = (await buyer.status(paymentId)).body.data as { orderId: string; orderNo: string };
    const order = await this.seller('GET', `/v1/orders/${orderId}`);
    const lines = order.body.data.items as { orderItemId: string }[];
    return { orderId, orderNo, itemIds: lines.map(({ orderItemId }) => orderItemId) };
  }
  act = (itemId: string, key: string, body: object = {}) => this.seller('POST', `/v1/order-items/${itemId}/actions/${key}`, body);
  item = (itemId: string) => this.world.item(itemId);
  async runs(itemId: string): Promise<
    {
      event: { type: string; key?: string };
      to: string[];
      steps: { type: string; status: string }[];
      runId: string;
      orderItemIds: string[];
    }[]
  > {
    return (await this.seller('GET', `/v1/order-items/${itemId}/flow/runs`)).body.data.items;
  }
  /** The address of a file that the seller has uploaded. */
  attachment = () => this.world.seller.attachment();
}

export const errorOf = ({ status, body }: Reply): readonly [number, string | undefined, unknown] => [
  status,
  body.error?.code,
  body.error?.details,
];
