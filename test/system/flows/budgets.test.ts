/** What a seller draws holds nobody else up, and ends nobody's process (docs/decisions.md#f45): order of answers, not time, is compared. */
import { beforeAll, expect, test } from '@jest/globals';
import type { Edge, Graph } from '../../../domain/flows/graph/graph.ts';
import { call } from '../../../bin/dev/client.ts';
import { Desk } from '../../kernel/approvals.ts';
import { query, underTest, until, world } from '../../kernel/world.ts';
import { acts, Author, edge, end, state } from './fixtures.ts';

const start = { event: { type: 'start' } };
const MONTH = { steps: [start, { advance: 'P30D' }] };
const TICK: Edge['on'] = { type: 'elapsed', deadline: 'tick' };
/** A loop of one second, with these edges before the one that closes it. */
const loop = (edges: readonly Edge[], run?: Edge['run']): Graph => ({
  schema: 1,
  start: 'paid',
  tables: { t: Array.from({ length: 100 }, () => ({ from: '02-29', to: '02-29' })) },
  states: [state('paid', { deadlines: [{ key: 'tick', after: 'PT1S' }] }), end()],
  actions: [{ key: 'finish', by: 'seller', label: '완료' }],
  edges: [...edges, { ...edge('paid', 'paid', TICK), ...(run && { run }) }, edge('paid', 'end', acts('finish'))],
});
const CHEAP = loop([]);
/** As much as a publish allows: each happening looks through 9,000 rows, two thousand of them take seconds. */
const COSTLY = loop(Array.from({ length: 90 }, (_, i) => ({ ...edge('paid', 'end', TICK), id: `look${i}`, when: 'inRanges(now, t)' })));
const LOUD = loop(
  [],
  Array.from({ length: 20 }, (_, i) => ({ type: 'notify', name: `n${i}`, to: 'buyer', message: '가'.repeat(500) })),
);
interface Step {
  readonly truncated: string | null;
  readonly accepted: boolean;
  readonly edges: readonly string[];
  readonly jobs: readonly object[];
}

/** A store with a flow of each graph. */
class Drawer {
  readonly author: Author;
  readonly ids = new Map<Graph, string>();
  constructor(author: Author) {
    this.author = author;
  }
  static async open(): Promise<Drawer> {
    const drawer = new Drawer(new Author(await world()));
    for (const [key, graph] of Object.entries({ cheap: CHEAP, costly: COSTLY, loud: LOUD }))
      drawer.ids.set(graph, await drawer.author.create(key, { graph }));
    return drawer;
  }
  path = (graph: Graph): string => `/v1/commerce-flows/${this.ids.get(graph)!}/draft/simulate`;
  simulate = (graph: Graph, body: object = MONTH, headers = {}) => this.author.send('POST', this.path(graph), body, headers);
}
let [one, two, three]: Drawer[] = [];
beforeAll(async () => {
  [one, two, three] = [await Drawer.open(), await Drawer.open(), await Drawer.open()];
});
const stepsOf = ({ body }: Awaited<ReturnType<Drawer['simulate']>>) => body.data.steps as Step[];

test('a simulation of two seconds keeps no other store’s request waiting: many are answered before it', async () => {
  let hasEnded = false;
  const simulated = one!.simulate(COSTLY).finally(() => (hasEnded = true));
  let before = 0;
  for (let i = 0; i < 10; i++) {
    const replies = await Promise.all(Array.from({ length: 5 }, () => two!.author.send('GET', '/v1/products')));
    if (!hasEnded) before += replies.filter(({ status }) => status === 200).length;
  }
  // With one event loop for both it would be five; all fifty where the machine has nothing else to do.
  expect(before).toBeGreaterThanOrEqual(20);
  const reply = await simulated;
  expect([reply.status, stepsOf(reply).length]).toEqual([200, 2]);
  const last = stepsOf(reply).at(-1)!;
  // On a fast machine its happenings end first.
  expect(['TIME', 'HAPPENINGS']).toContain(last.truncated);
  expect([last.accepted, last.edges.length > 0, last.edges.length < 2000]).toEqual([true, true, true]);
}, 120_000);

test('two thousand happenings, then a step tells how far it came and is the last one', async () => {
  const reply = await one!.simulate(CHEAP, { steps: [start, { advance: 'PT1M' }, { advance: 'P30D' }, { advance: 'PT1S' }] });
  const steps = stepsOf(reply);
  expect([reply.status, steps.map(({ truncated }) => truncated)]).toEqual([200, [null, null, 'HAPPENINGS']]);
  // A happening in thirty tells of the pace, and takes no edge.
  const taken = steps.reduce((sum, { edges }) => sum + edges.length, 1);
  expect([taken > 1900, taken <= 2000]).toEqual([true, true]);
});

test('an answer ends at 1 MiB, whatever it notifies of, and the process goes on', async () => {
  const reply = await one!.simulate(LOUD);
  expect([reply.status, stepsOf(reply).map(({ truncated }) => truncated)]).toEqual([200, [null, 'SIZE']]);
  const bytes = Buffer.byteLength(JSON.stringify(reply.body.data));
  expect([bytes > 500 * 1024, bytes <= 1024 * 1024]).toEqual([true, true]);
});

test('of a store one runs at a time, and another store’s does not wait for it; who waits in vain is 429 with Retry-After', async () => {
  const ended: string[] = [];
  const many = Array.from({ length: 6 }, () => one!.simulate(COSTLY).finally(() => ended.push('one')));
  const other = two!.simulate(CHEAP).finally(() => ended.push('two'));
  expect((await other).status).toBe(200);
  const replies = await Promise.all(many);
  expect(ended[0]).toBe('two');
  const refused = replies.filter(({ status }) => status === 429);
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 429]));
  for (const { body, headers } of refused)
    expect([body.error!.code, Number(headers.get('retry-after')) > 0]).toEqual(['TOO_MANY_REQUESTS', true]);
}, 120_000);

test('two stores that never stop asking leave a third its turn', async () => {
  const done = new AbortController();
  const busy = [one!, two!].flatMap((drawer) =>
    Array.from({ length: 3 }, async () => {
      while (!done.signal.aborted) await drawer.simulate(COSTLY, { steps: [start, { advance: 'PT1M' }] });
    }),
  );
  const replies = [await three!.simulate(CHEAP), await three!.simulate(CHEAP)];
  done.abort();
  await Promise.all(busy);
  expect(replies.map(({ status }) => status)).toEqual([200, 200]);
}, 180_000);

test('a client that hangs up ends its simulation, and those that wait', async () => {
  const { bearer } = one!.author.shop.seller;
  const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
  const gone = new AbortController();
  const sent = Array.from({ length: 4 }, () =>
    fetch(underTest.api + one!.path(COSTLY), { method: 'POST', headers, body: JSON.stringify(MONTH), signal: gone.signal }),
  );
  const settled = Promise.allSettled(sent);
  const ended: string[] = [];
  const other = two!.simulate(COSTLY).finally(() => ended.push('two'));
  gone.abort();
  await settled;
  const again = one!.simulate(CHEAP).finally(() => ended.push('one'));
  expect([(await again).status, (await other).status, ended]).toEqual([200, 200, ['one', 'two']]);
}, 120_000);

test('an agent’s is bounded alike, and one cannot be had as a dry run', async () => {
  const desk = await Desk.open(one!.author.shop);
  const { headers } = await desk.agent(['flow:r']);
  const sent = { body: MONTH, headers: { ...headers, 'x-svc-dry-run': '1' } };
  const reply = await call(underTest.api, 'POST', one!.path(LOUD), sent);
  expect([reply.status, reply.body.meta.code]).toEqual([200, 'OK']);
  expect((reply.body.data.steps as Step[]).at(-1)!.truncated).toBe('SIZE');
  await desk.close();
});

test('a replay feeds at most two thousand records, and tells how many it fed', async () => {
  const { author } = one!;
  const graph: Graph = {
    ...loop([]),
    states: [state('paid'), end()],
    edges: [edge('paid', 'paid', { type: 'event', name: 'custom.tick' }), edge('paid', 'end', acts('finish'))],
  };
  const flowId = await author.published('ticked', graph);
  const { orderItemId } = await author.shop.order(await author.shop.product({ flowId }));
  const ticked = await author.send('POST', `/v1/order-items/${orderItemId}/events/custom.tick`, {});
  expect(ticked.status).toBe(200);
  await until('its record', async () => (await query('SELECT 1 FROM flow_step WHERE order_item_id = $1', [orderItemId])).length === 2);
  // Two thousand records take longer than a statement may where many suites run.
  const replay = () =>
    until(
      'a replay',
      async () => (await author.send('POST', `/v1/commerce-flows/${flowId}/draft/replay`, { orderItemId })).body.data,
      30_000,
    );
  expect(await replay()).toEqual({ orderItemId, version: 1, records: 2, divergedAt: null, truncated: null });
  const copy = (from: number, to: number, pad: number) =>
    query(
      `INSERT INTO flow_step SELECT (jsonb_populate_record(s, jsonb_build_object('seq', n, 'run_id', NULL,
          'event', s.event || jsonb_build_object('data', jsonb_build_object('pad', repeat('x', $4)))))).*
        FROM flow_step s, generate_series($2::int, $3::int) AS n WHERE s.order_item_id = $1 AND s.seq = 2`,
      [orderItemId, from, to, pad],
    );
  await copy(3, 2000, 1);
  expect(await replay()).toMatchObject({ records: 2000, divergedAt: null, truncated: null });
  await copy(2001, 2100, 1);
  expect(await replay()).toMatchObject({ records: 2000, divergedAt: null, truncated: 'HAPPENINGS' });
  await query(`DELETE FROM flow_step WHERE order_item_id = $1 AND seq > 2`, [orderItemId]);
  await copy(3, 500, 16_000);
  const large = await replay();
  expect([large.truncated, (large.records as number) > 100, (large.records as number) < 300]).toEqual(['SIZE', true, true]);
}, 120_000);

test('a publish never makes a version of a draft that was not checked, whoever saves meanwhile', async () => {
  const { author } = two!;
  const broken = { ...CHEAP, states: [...CHEAP.states, state('island')] };
  const flowId = await author.create('raced', { graph: CHEAP });
  for (let round = 0; round < 8; round++) {
    const good = { ...CHEAP, states: [state('paid', { deadlines: [{ key: 'tick', after: `PT${round + 1}S` }] }), end()] };
    await author.saveDraft(flowId, good);
    const [published] = await Promise.all([author.publish(flowId), author.saveDraft(flowId, broken)]);
    expect([201, 409, 503]).toContain(published.status);
    if (published.status === 201) expect((published.body.data.graph as Graph).states.map(({ id }) => id)).toEqual(['paid', 'end']);
    else if (published.status === 409) expect(published.body.error!.code).toBe('PUBLISH_BLOCKED');
  }
}, 120_000);

test('a picture of hundreds of lines keeps no other store’s request waiting', async () => {
  const regions = Array.from({ length: 40 }, (_, i) => i);
  const graph: Graph = {
    schema: 1,
    start: 'p0',
    states: [
      ...regions.flatMap((i): Graph['states'] => [
        { id: `p${i}`, type: 'parallel', join: `j${i}`, branches: ['a', 'b'].map((key) => ({ key, start: `${key}${i}` })) },
        { id: `j${i}`, type: 'join' },
        state(`a${i}`),
      ]),
      end('e'),
    ],
    actions: [],
    edges: regions.flatMap((i) => [
      edge(`a${i}`, `j${i}`, { type: 'event', name: 'custom.a' }),
      edge(`j${i}`, i < 39 ? `p${i + 1}` : 'e', { type: 'result', value: 'joined' }),
    ]),
  };
  const { author } = one!;
  const flowId = await author.create('wide', { graph });
  let hasEnded = false;
  const picture = author.send('GET', `/v1/commerce-flows/${flowId}/draft/graph.svg`).finally(() => (hasEnded = true));
  let before = 0;
  for (let i = 0; i < 4; i++) {
    await two!.author.send('GET', '/v1/products');
    if (!hasEnded) before++;
  }
  expect(before).toBe(4);
  expect((await picture).status).toBe(200);
}, 120_000);
