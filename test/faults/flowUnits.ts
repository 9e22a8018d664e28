/** Items in flight in flows of a store's own, spread over their states: what `migrating.ts` moves to another version. */
import type { Client as Postgres } from 'pg';
import { Buyer } from '../../bin/dev/client.ts';
import { forEachAtOnce } from '../../db/kernel/parallel.ts';
import type { Graph } from '../../domain/flows/graph/graph.ts';
import { World } from '../kernel/world.ts';
import { acts, Author, edge, end, state } from '../system/flows/fixtures.ts';
import { FlowShop } from '../system/flows/shop.ts';
import type { Bench } from './harness.ts';

/** What happens to a unit, and the node that it leads to; `late` is the deadline of `paid`. */
export const LEADS_TO = { start: 'paid', make: 'made', checked: 'checked', finish: 'end', gone: 'gone', late: 'made' } as const;
export type Step = Exclude<keyof typeof LEADS_TO, 'start' | 'late'>;

/** paid → made → checked → end, by two actions and an event; `late` makes by itself, `gone` cancels and refunds. */
const graph = (after: string, requires?: Graph['requires']): Graph => ({
  schema: 1,
  start: 'paid',
  ...(requires && { requires }),
  states: [
    state('paid', { deadlines: [{ key: 'late', after }] }),
    state('made', { status: 'DELIVERED' }),
    state('checked', { status: 'DELIVERED' }),
    end(),
    end('gone', 'CANCELED'),
  ],
  actions: [
    { key: 'make', by: 'seller', label: '제작', input: [{ key: 'size', type: 'number', label: '크기' }] },
    { key: 'finish', by: 'seller', label: '완료' },
  ],
  edges: [
    edge('paid', 'made', acts('make')),
    { ...edge('paid', 'made', { type: 'elapsed', deadline: 'late' }), id: 'late' },
    edge('paid', 'gone', { type: 'event', name: 'custom.gone' }),
    edge('made', 'checked', { type: 'event', name: 'custom.checked' }),
    edge('made', 'end', acts('finish')),
    edge('checked', 'end', acts('finish')),
  ],
});

interface Kind {
  readonly key: string;
  /** Days until the deadline, in the version that is left and in the one that is gone to. */
  readonly days: readonly [from: number, to: number];
  readonly requires?: Graph['requires'];
}
const SINGLE: Kind = { key: 'single', days: [3, 9] };
const GROUPED: Kind = { key: 'grouped', days: [3, 9], requires: { progression: 'ORDER_GROUP' } };
const SOONER: Kind = { key: 'sooner', days: [9, 3] };
const KINDS = [SINGLE, GROUPED, SOONER];
/** The kinds of the orders, in turn. */
const ORDERS = [SINGLE, GROUPED, SINGLE, SOONER, SINGLE, GROUPED];
const ITEMS_OF_ORDER = 4;

export interface Story {
  readonly before: readonly Step[];
  /** While items are migrated. */
  readonly during: readonly Step[];
}
const STORIES: readonly Story[] = [
  { before: [], during: [] },
  { before: [], during: ['gone'] },
  { before: ['make'], during: ['checked'] },
  { before: [], during: ['make', 'finish'] },
  { before: ['make'], during: [] },
  { before: ['make', 'finish'], during: [] },
  { before: [], during: ['make', 'checked', 'finish'] },
  { before: ['make', 'checked'], during: ['finish'] },
];

/** What moves as a whole: an item, or the items of an order in the grouped flow. */
export interface Unit {
  readonly kind: Kind;
  readonly itemIds: readonly string[];
  readonly workflowId: string;
  readonly story: Story;
}
export interface Fleet {
  readonly units: readonly Unit[];
  readonly flowIds: Readonly<Record<string, string>>;
  /** Publishes the second version of each flow. */
  readonly publish: () => Promise<void>;
}

/** Buys so many items of flows in their first version, before anything is killed. */
export async function buyFleet({ system, store, seller }: Bench, database: Postgres, items: number): Promise<Fleet> {
  const world = new World(store, seller);
  const [shop, author] = [new FlowShop(world), new Author(world)];
  const flowIds: Record<string, string> = {};
  const products: Record<string, readonly string[]> = {};
  for (const { key, days, requires } of KINDS) {
    flowIds[key] = await author.published(key, graph(`P${days[0]}D`, requires));
    const made = [];
    for (let i = 0; i < ITEMS_OF_ORDER; i++) made.push((await shop.product(flowIds[key], { stockQuantity: 100_000 })).productId);
    products[key] = made;
  }
  const orders = Array.from({ length: Math.ceil(items / ITEMS_OF_ORDER) }, (_, i) => ORDERS[i % ORDERS.length]!);
  const bought: string[] = [];
  await forEachAtOnce(orders, 6, async ({ key }) => {
    const { itemIds } = await shop.buy(await Buyer.arrive(system.api, store.storeCode), products[key]!);
    bought.push(...itemIds);
  });
  const units = await unitsOf(database, bought);
  const publish = async () => {
    for (const { key, days, requires } of KINDS) await author.publishes(flowIds[key]!, graph(`P${days[1]}D`, requires));
  };
  return { units, flowIds, publish };
}

async function unitsOf(database: Postgres, itemIds: readonly string[]): Promise<readonly Unit[]> {
  const { rows } = await database.query<{ key: string; workflow_id: string; item_ids: string[] }>(
    `SELECT i.flow_key AS key, r.workflow_id, array_agg(i.order_item_id ORDER BY i.position) AS item_ids
       FROM order_item i JOIN run r ON r.entity_id = coalesce(i.group_id, i.order_item_id)
      WHERE i.order_item_id = ANY ($1) GROUP BY 1, 2 ORDER BY 2`,
    [itemIds],
  );
  return KINDS.flatMap((kind) =>
    rows
      .filter(({ key }) => key === kind.key)
      .map(({ workflow_id: workflowId, item_ids: ids }, i) => ({ kind, itemIds: ids, workflowId, story: STORIES[i % STORIES.length]! })),
  );
}
