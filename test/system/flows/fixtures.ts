/** Graphs of the suites of flows, and a shop that draws them. */
import type { Edge, Graph, Node, StateNode } from '../../../domain/flows/graph/graph.ts';
import { query, type World } from '../../kernel/world.ts';

export const state = (id: string, changes: Partial<StateNode> = {}): StateNode => ({
  id,
  type: 'state',
  status: 'PAID',
  step: 'SELLER_PROCESSING',
  label: id,
  ...changes,
});
export const end = (id = 'end', outcome: 'COMPLETED' | 'CANCELED' = 'COMPLETED'): Node => ({ id, type: 'end', outcome, label: id });
export const edge = (from: string, to: string, on: Edge['on']): Edge => ({ id: `${from}.${to}`, from, to, on });
export const acts = (key: string): Edge['on'] => ({ type: 'seller.action', key });

/** paid → made → end, by two actions of the seller; the deadlines of `paid` do the first by themselves. */
export const twoSteps = (changes: Partial<StateNode> = {}, requires?: Graph['requires'], made: Partial<StateNode> = {}): Graph => ({
  schema: 1,
  start: 'paid',
  ...(requires && { requires }),
  states: [state('paid', changes), state('made', { status: 'DELIVERED', ...made }), end(), end('gone', 'CANCELED')],
  actions: [
    { key: 'make', by: 'seller', label: '제작' },
    { key: 'finish', by: 'seller', label: '완료' },
  ],
  edges: [
    edge('paid', 'made', acts('make')),
    edge('made', 'end', acts('finish')),
    edge('paid', 'gone', { type: 'event', name: 'custom.gone' }),
    ...(changes.deadlines ?? []).map(({ key }) => ({ ...edge('paid', 'made', { type: 'elapsed', deadline: key }), id: key })),
  ],
});

/** A shop whose flows are drawn over HTTP. */
export class Author {
  readonly shop: World;
  constructor(shop: World) {
    this.shop = shop;
  }
  send = (method: string, path: string, body?: unknown, headers = {}) => this.shop.seller.call(method, path, body, headers);
  async code(method: string, path: string, body?: unknown): Promise<string> {
    const reply = await this.send(method, path, body);
    return reply.body.error?.code ?? String(reply.status);
  }
  /** The id of a new flow with a draft. */
  async create(key: string, content: object = { graph: twoSteps() }): Promise<string> {
    const { status, body } = await this.send('POST', '/v1/commerce-flows', { key, name: key, ...content });
    if (status !== 201) throw new Error(JSON.stringify(body.error));
    return body.data.flowId as string;
  }
  saveDraft = (flowId: string, graph: Graph) => this.send('PUT', `/v1/commerce-flows/${flowId}/draft`, { graph });
  publish = (flowId: string) => this.send('POST', `/v1/commerce-flows/${flowId}/draft/publish`);
  /** The number of the new version. */
  async publishes(flowId: string, graph?: Graph): Promise<number> {
    if (graph) await this.saveDraft(flowId, graph);
    const { status, body } = await this.publish(flowId);
    if (status !== 201) throw new Error(JSON.stringify(body.error));
    return body.data.version as number;
  }
  /** The id of a new flow whose first version is this graph. */
  async published(key: string, graph = twoSteps()): Promise<string> {
    const flowId = await this.create(key, { graph });
    await this.publishes(flowId);
    return flowId;
  }
  get = async (path: string) => (await this.send('GET', path)).body.data;
  /** The id of a default flow. */
  async standard(defaultFor: 'SHIPPING' | 'MANUAL'): Promise<string> {
    const { items } = await this.get('/v1/commerce-flows');
    return (items as { flowId: string; defaultFor: string }[]).find((flow) => flow.defaultFor === defaultFor)!.flowId;
  }
  migrate = (flowId: string, version: number, limit?: number) =>
    this.send('POST', `/v1/commerce-flows/${flowId}/versions/${version}/migrate`, limit === undefined ? {} : { limit });
  /** The versions of its items of a flow. */
  async versionsOfItems(flowKey: string): Promise<Record<string, number>> {
    const rows = await query<{ version: number; n: number }>(
      `SELECT flow_version AS version, count(*)::integer AS n FROM order_item WHERE store_id = $1 AND flow_key = $2 GROUP BY 1`,
      [this.shop.store.storeId, flowKey],
    );
    return Object.fromEntries(rows.map(({ version, n }) => [String(version), n]));
  }
}
