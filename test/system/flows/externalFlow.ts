/** Flows that ask an external service, and a service that answers as a test wants. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ExternalNode, Graph } from '../../../domain/flows/graph/graph.ts';
import { query, type World, world } from '../../kernel/world.ts';

const waiting = (id: string) => ({ id, type: 'state', status: 'CONFIRMED', step: 'SELLER_PROCESSING', label: id }) as const;
const edge = (from: string, value: 'success' | 'skipped' | 'failed') =>
  ({ id: `${from}:${value}`, from, to: value, on: { type: 'result', value } }) as const;
const press = (from: string, key: string, to: string) => ({ id: `${from}:${key}`, from, to, on: { type: 'seller.action', key } }) as const;

export const NODE: ExternalNode = {
  id: 'asked',
  type: 'external',
  status: 'PAID',
  secret: 'service',
  method: 'POST',
  path: '/issue',
  body: { n: '{{item.activeQuantity}}', name: 'x{{item.productName}}', none: '{{inputs.none}}' },
  timeoutSeconds: 5,
  saveAs: 'answer',
};
/** paid → (ask) → asked → success, skipped or failed → (again) → asked, or (finish) → done. */
export const externalFlow = (node: Partial<ExternalNode> = {}, requires: Graph['requires'] = {}): Graph => ({
  schema: 1,
  start: 'paid',
  requires,
  states: [
    { ...waiting('paid'), status: 'PAID' },
    { ...NODE, ...node },
    ...(['success', 'skipped', 'failed'] as const).map(waiting),
    { id: 'done', type: 'end', outcome: 'COMPLETED', label: 'done' },
  ],
  actions: ['ask', 'again', 'finish'].map((key) => ({ key, by: 'seller', label: key })),
  edges: [
    press('paid', 'ask', 'asked'),
    ...(['success', 'skipped', 'failed'] as const).flatMap((end) => [
      edge('asked', end),
      press(end, 'again', 'asked'),
      press(end, 'finish', 'done'),
    ]),
  ],
});
export const EXTERNAL_FLOW = externalFlow();

/** paid → (ask) → a subflow that asks, within an hour → done, or late → (finish) → done. The subflow: begin → (go) → asked → its end. */
export function deadlineAround(requires: Graph['requires'] = {}): { readonly around: Graph; readonly inner: Graph } {
  const around: Graph = {
    schema: 1,
    start: 'paid',
    requires,
    states: [
      { ...waiting('paid'), status: 'PAID' },
      { id: 'inner', type: 'call', flow: 'inner', deadline: 'PT1H' },
      waiting('late'),
      { id: 'done', type: 'end', outcome: 'COMPLETED', label: 'done' },
    ],
    actions: ['ask', 'finish'].map((key) => ({ key, by: 'seller', label: key })),
    edges: [
      { id: 'e1', from: 'paid', to: 'inner', on: { type: 'seller.action', key: 'ask' } },
      { id: 'e2', from: 'inner', to: 'late', on: { type: 'result', value: 'timeout' } },
      { id: 'e3', from: 'inner', to: 'done', on: { type: 'result', value: 'completed' } },
      { id: 'e4', from: 'inner', to: 'late', on: { type: 'result', value: 'canceled' } },
      { id: 'e5', from: 'late', to: 'done', on: { type: 'seller.action', key: 'finish' } },
    ],
  };
  const ends = (['success', 'skipped', 'failed'] as const).map((value) => ({
    id: value,
    from: 'asked',
    to: 'end',
    on: { type: 'result', value } as const,
  }));
  const inner: Graph = {
    schema: 1,
    start: 'begin',
    requires,
    states: [
      { ...waiting('begin'), status: 'PAID' },
      { ...NODE, timeoutSeconds: 60 },
      { id: 'end', type: 'end', outcome: 'COMPLETED', label: 'end' },
    ],
    actions: [{ key: 'go', by: 'seller', label: 'go' }],
    edges: [{ id: 'go', from: 'begin', to: 'asked', on: { type: 'seller.action', key: 'go' } }, ...ends],
  };
  return { around, inner };
}

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}
type Answering = (response: ServerResponse, request: Request) => void;

export class Service {
  readonly requests: Request[] = [];
  readonly url: string;
  readonly close: () => void;
  private constructor(url: string, close: () => void) {
    this.url = url;
    this.close = close;
  }
  static async listen(answer: Answering = (response) => void response.end('{}')): Promise<Service> {
    const server = createServer((incoming, response) => {
      void text(incoming).then((body) => {
        const request = { method: incoming.method!, path: incoming.url!, headers: incoming.headers, body };
        service.requests.push(request);
        answer(response, request);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const service: Service = new Service(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, () => {
      server.closeAllConnections();
      server.close();
    });
    return service;
  }
}

/** A store that sells a product by a flow. */
export class FlowShop {
  readonly shop: World;
  readonly product: { readonly productId: string };
  private constructor(shop: World, product: { readonly productId: string }) {
    this.shop = shop;
    this.product = product;
  }
  static async sell(graph: Graph, more: Readonly<Record<string, Graph>> = {}): Promise<FlowShop> {
    const shop = await world();
    const publish = async (key: string, drawn: Graph) => {
      const { flowId } = await request(shop, 'POST', '/v1/commerce-flows', { key, name: key, graph: drawn });
      await request(shop, 'POST', `/v1/commerce-flows/${flowId}/draft/publish`, {});
      return flowId!;
    };
    for (const [key, drawn] of Object.entries(more)) await publish(key, drawn);
    const product = await shop.product({ fulfillment: { type: 'MANUAL' }, flowId: await publish('main', graph) });
    return new FlowShop(shop, product);
  }
  connect(url: string, headerValue = 'Bearer canary-header'): Promise<object> {
    return request(this.shop, 'PUT', '/v1/commerce-flows/secrets/service', { url, headerName: 'X-Key', headerValue });
  }
  async order(quantity = 1): Promise<string> {
    return (await this.shop.order(this.product, quantity)).orderItemId;
  }
  press(orderItemId: string, key: string): Promise<object> {
    return request(this.shop, 'POST', `/v1/order-items/${orderItemId}/actions/${key}`, {});
  }
  async state(orderItemId: string): Promise<{ key: string; data: Record<string, unknown> }> {
    const { flowState } = (await this.shop.seller.call('GET', `/v1/order-items/${orderItemId}/flow`)).body.data as {
      flowState: { key: string; data: Record<string, unknown> };
    };
    return flowState;
  }
}
async function request(shop: World, method: string, path: string, body: object): Promise<Record<string, string>> {
  const { status, body: reply } = await shop.seller.call(method, path, body);
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(reply.error)}`);
  return reply.data as Record<string, string>;
}

export const callsOf = (
  ownerId: string,
): Promise<{ call: string; result: string | null; data: object | null; idempotency_key: string }[]> =>
  query('SELECT call, result, data, idempotency_key FROM flow_call WHERE owner_id = $1 ORDER BY sent_at, call', [ownerId]);
