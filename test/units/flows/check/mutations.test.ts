import { describe, expect, test } from '@jest/globals';
import { checkGraph, type Issue } from '../../../../domain/flows/check/checkGraph.ts';
import type { Edge, ExternalNode, Graph, ParallelNode, StateNode } from '../../../../domain/flows/graph/graph.ts';
import { onBuyer, onElapsed, onEvent, onResult, onSeller } from '../../../../domain/flows/presets/parts.ts';
import { context, type Open, sample } from './sample.ts';

type OpenGraph = Open<Graph>;
type Mutation = readonly [code: string, where: Partial<Issue>, change: (graph: OpenGraph) => void];
const state = (graph: OpenGraph, id: string) => graph.states.find((node) => node.id === id) as Open<StateNode>;
const edge = (graph: OpenGraph, id: string) => graph.edges.find((one) => one.id === id)!;
const rate = (graph: OpenGraph) => graph.actions[2]!.input!;
const add = (graph: OpenGraph, ...edges: Edge[]) => void graph.edges.push(...(edges as Open<Edge[]>));
const first = (graph: OpenGraph, edge: Edge) => void graph.edges.unshift(edge as Open<Edge>);
const call = (graph: OpenGraph, flow: string) => void Object.assign(graph.states[5]!, { flow });
const waiting = (id: string): Open<StateNode> => ({ id, type: 'state', status: 'DELIVERED', step: 'DELIVERED', label: id });
const split = (graph: OpenGraph) => graph.states[1] as Open<ParallelNode>;

const BLOCKING: readonly Mutation[] = [
  ['NODE_DUPLICATE', { nodeId: 'done' }, (g) => g.states.push({ id: 'done', type: 'end', outcome: 'COMPLETED', label: 'again' })],
  ['EDGE_DUPLICATE', { edgeId: 'paid:accept' }, (g) => add(g, { ...onSeller('review', 'refuse', 'done'), id: 'paid:accept' })],
  ['ACTION_DUPLICATE', { actionKey: 'accept' }, (g) => g.actions.push({ key: 'accept', by: 'seller', label: 'again' })],
  ['GRAPH_TOO_LARGE', {}, (g) => g.states.push(...Array.from({ length: 200 }, (_, i) => waiting(`more${i}`)))],
  ['GRAPH_TOO_LARGE', {}, (g) => (g.actions[1]!.label = 'x'.repeat(131_072))],
  ['GRAPH_TOO_LARGE', {}, (g) => call(g, 'chain6')],
  ['GRAPH_TOO_LARGE', {}, (g) => call(g, 'large')],
  ['START_INVALID', { nodeId: 'paid' }, (g) => (state(g, 'paid').status = 'CONFIRMED')],
  ['START_INVALID', { field: 'start' }, (g) => (g.start = 'nowhere')],
  ['EDGE_DANGLING', { edgeId: 'paid:refuse', field: 'to' }, (g) => (edge(g, 'paid:refuse').to = 'nowhere')],
  ['EDGE_DANGLING', { edgeId: 'nowhere:accept', field: 'from' }, (g) => add(g, onSeller('nowhere', 'accept', 'done'))],
  ['EDGE_FROM_END', { edgeId: 'done:accept' }, (g) => add(g, onSeller('done', 'accept', 'canceled'))],
  ['EDGE_INTERNAL_TARGET', { edgeId: 'review:refuse' }, (g) => add(g, onSeller('review', 'refuse', 'done', { internal: true }))],
  [
    'EDGE_INTERNAL_TARGET',
    { edgeId: 'bill:failed?' },
    (g) => first(g, { ...onResult('bill', 'failed', 'bill', { internal: true, when: 'true' }), id: 'bill:failed?' }),
  ],
  ['TRIGGER_NOT_APPLICABLE', { edgeId: 'review:success' }, (g) => add(g, onResult('review', 'success', 'done'))],
  ['TRIGGER_NOT_APPLICABLE', { edgeId: 'visit:timeout' }, (g) => add(g, onResult('visit', 'timeout', 'done'))],
  ['TRIGGER_NOT_APPLICABLE', { edgeId: 'bill:refuse' }, (g) => add(g, onSeller('bill', 'refuse', 'joined'))],
  ['EDGE_SHADOWED', { edgeId: 'again' }, (g) => add(g, { ...onSeller('paid', 'accept', 'done'), id: 'again' })],
  ['EVENT_UNKNOWN', { edgeId: 'review:courier.lost' }, (g) => add(g, onEvent('review', 'courier.lost', 'done'))],
  ['EVENT_UNKNOWN', { edgeId: 'review:custom.' }, (g) => add(g, onEvent('review', 'custom.', 'done'))],
  ['ACTION_MISSING', { edgeId: 'review:none' }, (g) => add(g, onSeller('review', 'none', 'done'))],
  ['ACTION_ROLE_MISMATCH', { edgeId: 'review:accept' }, (g) => add(g, onBuyer('review', 'accept', 'done'))],
  ['ACTION_ROLE_MISMATCH', { actionKey: 'refuse', field: 'platform' }, (g) => (g.actions[1]!.platform = 'decide')],
  ['STATUS_NOT_ALLOWED', { nodeId: 'review' }, (g) => (state(g, 'review').status = 'RETURNED' as 'PAID')],
  ['STATUS_NOT_ALLOWED', { nodeId: 'bill' }, (g) => (state(g, 'bill').status = 'CANCELED' as 'PAID')],
  [
    'NODE_UNREACHABLE',
    { nodeId: 'island' },
    (g) => (g.states.push({ ...waiting('island') }), add(g, onSeller('island', 'accept', 'done'))),
  ],
  ['NO_TERMINAL', {}, (g) => ((g.states = [state(g, 'paid')]), (g.edges = []), add(g, onElapsed('paid', 'late', 'paid')))],
  ['DEAD_END', { nodeId: 'trap' }, (g) => (g.states.push(waiting('trap')), add(g, onSeller('review', 'refuse', 'trap')))],
  [
    'CANNOT_FINISH',
    { nodeId: 'trap' },
    (g) => (g.states.push(waiting('trap')), add(g, onSeller('review', 'refuse', 'trap'), onSeller('trap', 'accept', 'trap'))),
  ],
  // One use in all, and the way comes round again.
  [
    'CANNOT_FINISH',
    { nodeId: 'again' },
    (g) => {
      g.states.push(waiting('again'));
      g.actions.push({ key: 'once', by: 'seller', label: 'once', maxUses: 1 });
      add(g, onSeller('review', 'refuse', 'again'), onSeller('again', 'once', 'review'));
    },
  ],
  ['CANNOT_FINISH', { nodeId: 'second' }, (g) => (call(g, 'once'), g.states.push({ id: 'second', type: 'call', flow: 'once' }), twice(g))],
  ['AUTO_CYCLE', { nodeId: 'bill' }, (g) => (edge(g, 'bill:failed').to = 'bill')],
  ['RESULT_UNCONNECTED', { nodeId: 'bill', field: 'failed' }, (g) => (g.edges = g.edges.filter(({ id }) => id !== 'bill:failed'))],
  ['RESULT_UNCONNECTED', { nodeId: 'bill', field: 'failed' }, (g) => (edge(g, 'bill:failed').when = 'item.quantity > 1')],
  ['RESULT_UNCONNECTED', { nodeId: 'visit', field: 'timeout' }, (g) => void Object.assign(g.states[5]!, { deadline: 'P1D' })],
  ['EXTERNAL_TIMEOUT', { nodeId: 'bill' }, (g) => ((g.states[3] as Open<ExternalNode>).timeoutSeconds = 61)],
  ['JOIN_MISSING', { nodeId: 'split' }, (g) => (((g.states[4] as { type: string }).type = 'join'), (split(g).join = 'review'))],
  ['BRANCH_COUNT', { nodeId: 'split', field: 'branches.a' }, (g) => (split(g).branches[1]!.key = 'a')],
  ['JOIN_BYPASSED', { nodeId: 'canceled' }, (g) => add(g, onSeller('pack', 'refuse', 'canceled'))],
  ['JOIN_SHARED_NODE', { nodeId: 'bill' }, (g) => add(g, onSeller('pack', 'refuse', 'bill'))],
  ['JOIN_ENTERED_FROM_OUTSIDE', { edgeId: 'paid:custom.pack' }, (g) => add(g, onEvent('paid', 'custom.pack', 'pack'))],
  ['JOIN_ENTERED_FROM_OUTSIDE', { edgeId: 'split:timeout' }, (g) => (edge(g, 'split:timeout').to = 'joined')],
  ['JOIN_ENTERED_FROM_OUTSIDE', { edgeId: 'split:timeout' }, (g) => (edge(g, 'split:timeout').to = 'pack')],
  ['CALL_TARGET_MISSING', { nodeId: 'visit' }, (g) => call(g, 'nothing')],
  ['CALL_TARGET_UNPUBLISHED', { nodeId: 'visit' }, (g) => call(g, 'draft')],
  ['CALL_CYCLE', { nodeId: 'visit' }, (g) => call(g, 'sample')],
  ['CALL_CYCLE', { nodeId: 'visit' }, (g) => call(g, 'circle')],
  ['REQUIRES_INVALID', { nodeId: 'visit' }, (g) => call(g, 'grouped')],
  ['REQUIRES_INVALID', { field: 'requires.groupClaim' }, (g) => (g.requires = { groupClaim: 'PAUSE' })],
  [
    'REQUIRES_INVALID',
    { field: 'requires.groupClaim' },
    (g) => (call(g, 'grouped'), (g.requires = { progression: 'ORDER_GROUP', groupClaim: 'STOP' as 'PAUSE' })),
  ],
  ['DEADLINE_MISSING', { edgeId: 'review:@none' }, (g) => add(g, onElapsed('review', 'none', 'done'))],
  [
    'DEADLINE_MISSING',
    { edgeId: 'review:refuse', field: 'run[0].deadline' },
    (g) =>
      add(g, onSeller('review', 'refuse', 'review', { internal: true, run: [{ type: 'deadline.extend', deadline: 'none', by: 'P1D' }] })),
  ],
  ['DEADLINE_INVALID', { nodeId: 'paid', field: 'deadlines.late' }, (g) => (state(g, 'paid').deadlines![0]!.at = 'order.paidAt')],
  ['DEADLINE_INVALID', { nodeId: 'review' }, (g) => (state(g, 'review').deadlines![0]!.setting = 'never' as 'autoConfirmDays')],
  ['DURATION_INVALID', { nodeId: 'paid', field: 'deadlines.late.after' }, (g) => (state(g, 'paid').deadlines![0]!.after = 'P1M')],
  ['DURATION_INVALID', { nodeId: 'split', field: 'deadline' }, (g) => (split(g).deadline = 'P401D')],
  ['PERMISSION_BOTH_LIMITS', { nodeId: 'review', field: 'permissions.returnRequest' }, (g) => permission(g, { until: 'order.paidAt' })],
  ['PERMISSION_BOTH_FEES', { nodeId: 'review', field: 'permissions.returnRequest' }, (g) => permission(g, { fee: { type: 'none' } })],
  ['FEE_INVALID', { nodeId: 'review', field: 'permissions.returnRequest.deduct' }, (g) => permission(g, { deduct: -1 })],
  ['FEE_INVALID', { nodeId: 'review', field: 'permissions.buyerCancel.fee.percent' }, (g) => (fee(g).percent = 101)],
  ['REFUND_TWICE', { edgeId: 'paid:refuse', field: 'run[1]' }, (g) => void edge(g, 'paid:refuse').run!.push({ type: 'refund' })],
  ['TABLE_INVALID', { field: 'tables.empty' }, (g) => (g.tables!['empty'] = [])],
  [
    'TABLE_INVALID',
    { field: 'tables.mixed' },
    (g) =>
      (g.tables!['mixed'] = [
        { days: 1, value: 1 },
        { from: '01-01', to: '01-02' },
      ] as never),
  ],
  [
    'INPUT_TYPE_CONFLICT',
    { actionKey: 'rate', field: 'input.score' },
    (g) => (g.actions[1]!.input = [{ key: 'score', type: 'text', label: 'x' }]),
  ],
  [
    'INPUT_TYPE_CONFLICT',
    { actionKey: 'send', field: 'input.deliveryMethod' },
    (g) => {
      const input = [{ key: 'deliveryMethod', type: 'select' as const, label: 'x', options: ['우체국'] }];
      g.actions.push({ key: 'send', by: 'seller', label: 'send', platform: 'dispatch', input });
      add(g, onSeller('review', 'send', 'done'));
    },
  ],
  ['INPUT_WHEN_INVALID', { actionKey: 'rate', field: 'input.why' }, (g) => (rate(g)[2]!.when!.key = 'later')],
  ['INPUT_WHEN_INVALID', { actionKey: 'rate', field: 'input.why' }, (g) => (rate(g)[2]!.when!.in = ['NEITHER'])],
  ['INPUT_OPTIONS_MISSING', { actionKey: 'rate', field: 'input.kind' }, (g) => ((rate(g)[0]!.options = []), delete rate(g)[2]!.when)],
  ['ATTACHMENTS_ENTRY', { nodeId: 'review', field: 'attachments' }, (g) => (state(g, 'review').attachments = { min: 0, max: 11 })],
  ['ATTACHMENTS_ENTRY', { nodeId: 'pack' }, (g) => (state(g, 'pack').attachments = { min: 1, max: 2 })],
  [
    'NOTIFY_NAME',
    { edgeId: 'paid:refuse', field: 'run[0].name' },
    (g) => void Object.assign(edge(g, 'paid:refuse').run![0]!, { name: '' }),
  ],
  [
    'TEMPLATE_PATH_UNKNOWN',
    { edgeId: 'paid:refuse', field: 'run[0].message' },
    (g) => void Object.assign(edge(g, 'paid:refuse').run![0]!, { message: '{{buyer.name}}' }),
  ],
  ['TEMPLATE_PATH_UNKNOWN', { nodeId: 'review', field: 'message' }, (g) => (state(g, 'review').message = '{{inputs}}')],
  [
    'TEMPLATE_PATH_UNKNOWN',
    { nodeId: 'bill', field: 'body.id' },
    (g) => ((g.states[3] as Open<ExternalNode>).body!['id'] = '{{ order.id }}'),
  ],
  ['EXPRESSION_SYNTAX', { edgeId: 'review:rate', field: 'when' }, (g) => (edge(g, 'review:rate').when = '1 +')],
  ['EXPRESSION_TYPE', { edgeId: 'review:rate', range: { start: 0, end: 1 } }, (g) => (edge(g, 'review:rate').when = '1')],
  [
    'EXPRESSION_LITERAL',
    { nodeId: 'review', field: 'permissions.returnRequest.deduct' },
    (g) => permission(g, { deduct: 'pct(refundable, 101)' }),
  ],
  ['EXPRESSION_NOT_ALLOWED', { edgeId: 'review:rate', field: 'when' }, (g) => (edge(g, 'review:rate').when = 'refundable > 0')],
  [
    'EXPRESSION_NOT_ALLOWED',
    { edgeId: 'review:refuse', field: 'run[0].deduct' },
    (g) => add(g, onSeller('review', 'refuse', 'done', { run: [{ type: 'refund', deduct: 'claim.quantity' }] })),
  ],
];
/** 10 ranges of a table of 100 rows with `||` between: 1,039. */
const costly = (graph: OpenGraph, ranges = 10): string => {
  graph.tables!['year'] = Array.from({ length: 100 }, () => ({ from: '01-01', to: '01-02' }));
  return Array.from({ length: ranges }, () => 'inRanges(now, year)').join('||');
};
const COSTLY: readonly Mutation[] = [
  [
    'TOO_COSTLY',
    { edgeId: 'review:rate', field: 'when', range: { start: 0, end: 418 } },
    (g) => (edge(g, 'review:rate').when = costly(g, 20)),
  ],
  [
    'TOO_COSTLY',
    { nodeId: 'review', field: 'deadlines.soon.at', range: { start: 0, end: 426 } },
    (g) => deadlines(g, [`${costly(g, 20)}?now:now`]),
  ],
  [
    'TOO_COSTLY',
    { nodeId: 'review', field: null },
    (g) => {
      const dear = Array.from({ length: 6 }, (_, i) => ({ ...onBuyer('review', 'rate', 'done', { when: costly(g, 17) }), id: `dear${i}` }));
      g.edges.unshift(...(dear as Open<Edge[]>));
    },
  ],
  [
    'TOO_COSTLY',
    { nodeId: 'review', field: 'permissions' },
    (g) => {
      const deduct = `${costly(g, 18)}?0:0`;
      permission(g, { deduct });
      Object.assign(state(g, 'review').permissions!, { exchangeRequest: { deduct, until: `${costly(g, 18)}?now:now` } });
    },
  ],
  [
    'TOO_COSTLY',
    { nodeId: 'review', field: 'deadlines' },
    (g) =>
      deadlines(
        g,
        ['a', 'b', 'c'].map(() => `${costly(g, 18)}?now:now`),
      ),
  ],
];
function deadlines(graph: OpenGraph, times: readonly string[]): void {
  const keys = ['soon', 'later', 'latest'];
  state(graph, 'review').deadlines!.push(...times.map((at, i) => ({ key: keys[i]!, at })));
  add(graph, ...times.map((_, i) => onElapsed('review', keys[i]!, 'done')));
}
function permission(graph: OpenGraph, more: object): void {
  Object.assign(state(graph, 'review').permissions!.returnRequest!, more);
}
const fee = (graph: OpenGraph) => (state(graph, 'review').permissions!.buyerCancel as { fee: { percent: number } }).fee;
/** After the first call, a second one of the same flow. */
function twice(graph: OpenGraph): void {
  edge(graph, 'visit:completed').to = 'second';
  add(graph, onResult('second', 'completed', 'review'), onResult('second', 'canceled', 'canceled'));
}

const WARNINGS: readonly Mutation[] = [
  [
    'STATUS_BACKWARDS',
    { edgeId: 'review:refuse' },
    (g) => (
      g.states.push({ ...waiting('back'), status: 'CONFIRMED', deadlines: [{ key: 'on', after: 'P1D' }] }),
      add(g, onSeller('review', 'refuse', 'back'), onElapsed('back', 'on', 'done'))
    ),
  ],
  [
    'NO_DEADLINE',
    { nodeId: 'people' },
    (g) => (g.states.push(waiting('people')), add(g, onSeller('review', 'refuse', 'people'), onSeller('people', 'accept', 'done'))),
  ],
  ['SECRET_MISSING', { nodeId: 'bill', field: 'secret' }, (g) => ((g.states[3] as Open<ExternalNode>).secret = 'unknown')],
  [
    'DEADLINE_UNUSED',
    { nodeId: 'review', field: 'deadlines.shown' },
    (g) => state(g, 'review').deadlines!.push({ key: 'shown', after: 'P1D' }),
  ],
  ['DEADLINE_MAY_NOT_MOVE', { nodeId: 'review', field: 'deadlines.over' }, (g) => (edge(g, 'review:@over').when = 'item.quantity > 1')],
  ['TABLE_VALUE_RANGE', { field: 'tables.fees' }, (g) => (g.tables!['fees'] = [{ days: 1, value: 101 }])],
  ['EXPRESSION_MAYBE_MISSING', { edgeId: 'review:rate', field: 'when' }, (g) => (rate(g)[1]!.required = false)],
];

const checkMutated = (change: Mutation[2]) => {
  const graph = JSON.parse(JSON.stringify(sample)) as OpenGraph;
  change(graph);
  return checkGraph(graph, context);
};

describe('one change of a sound graph gives one problem, at its place', () => {
  test('the graph itself has none', () => {
    expect(checkGraph(sample, context)).toEqual({ publishable: true, blocking: [], warnings: [] });
  });
  test.each([...BLOCKING, ...COSTLY])('%s %j', (code, where, change) => {
    const { publishable, blocking } = checkMutated(change);
    expect(blocking).toEqual([expect.objectContaining({ code, ...where })]);
    expect(publishable).toBe(false);
  });
  test.each(WARNINGS)('%s %j warns', (code, where, change) => {
    const { publishable, blocking, warnings } = checkMutated(change);
    expect(warnings).toEqual([expect.objectContaining({ code, ...where })]);
    expect({ publishable, blocking }).toEqual({ publishable: true, blocking: [] });
  });
  test('a place in a branch from which nothing finishes reaches no join either', () => {
    const { blocking } = checkMutated((g) => {
      g.states.push(waiting('lost'));
      add(g, onSeller('pack', 'refuse', 'lost'), onSeller('lost', 'accept', 'lost'));
    });
    expect(blocking.map(({ code, nodeId }) => [code, nodeId])).toEqual([
      ['CANNOT_FINISH', 'lost'],
      ['JOIN_UNREACHED', 'lost'],
    ]);
  });
  test('five subflows in one another are few enough', () => {
    expect(checkMutated((g) => call(g, 'chain5')).blocking).toEqual([]);
  });
});

test('all problems are told at once, the first 200', () => {
  const { blocking, warnings } = checkMutated((g) => {
    for (const one of g.edges) one.when = '1 +';
    for (let i = 0; i < 90; i++) g.states.push(waiting(`island${i}`));
  });
  expect(new Set(blocking.map(({ code }) => code))).toEqual(
    new Set(['EXPRESSION_SYNTAX', 'DEAD_END', 'RESULT_UNCONNECTED', 'NODE_UNREACHABLE']),
  );
  expect(blocking.length + warnings.length).toBe(200);
});
