import { describe, expect, test } from '@jest/globals';
import { actions } from '../../../domain/flows/run/actions.ts';
import { checkGraph } from '../../../domain/flows/check/checkGraph.ts';
import { compileFlow } from '../../../domain/flows/run/flow.ts';
import type { InputField } from '../../../domain/flows/graph/graph.ts';
import { nearest } from '../../../domain/flows/run/positions.ts';
import { emptyGraph, PRESETS } from '../../../domain/flows/presets/index.ts';
import type { FlowEvent, FlowState } from '../../../domain/flows/run/state.ts';
import { step } from '../../../domain/flows/run/step.ts';
import { answers, begin, FACTS, START, UPLOADS, type Walk } from './walking.ts';

const context = { key: 'mine', published: () => ({ exists: false, version: null, bundle: null }), secrets: new Set(['ticket-issuer']) };

/** What a form accepts: the first option, the shortest text. */
const VALUES: Readonly<Record<InputField['type'], (field: InputField) => unknown>> = {
  text: () => 'x',
  textarea: () => 'x',
  number: ({ min = 1 }) => min,
  select: ({ options = [] }) => (typeof options[0] === 'string' ? options[0] : options[0]?.value),
  radio: ({ options = [] }) => (typeof options[0] === 'string' ? options[0] : options[0]?.value),
  checkbox: () => [],
  boolean: () => true,
  date: () => '2026-12-01',
  datetime: () => '2026-12-01T10:00:00+09:00',
  image: () => [],
};
const inputFor = (fields: readonly InputField[] = []) =>
  Object.fromEntries(fields.flatMap((field) => (field.required && !field.when ? [[field.key, VALUES[field.type](field)]] : [])));

/** One event of each kind that the state takes, and the time of its next deadline. */
function following({ flow, state }: Walk, who: readonly ('seller' | 'buyer')[]): FlowEvent[] {
  const acted = who.flatMap((by) =>
    actions(flow, state, by).flatMap(({ action: { key, input }, reason }): FlowEvent[] =>
      reason === null
        ? [{ type: `${by}.action`, key, input: inputFor(input), attachments: key === 'sendProof' ? UPLOADS.slice(0, 1) : [] }]
        : [],
    ),
  );
  const heard = flow.main.graph.edges.flatMap(({ on }): FlowEvent[] =>
    on.type === 'event' && who.length > 1 ? [{ type: 'event', name: on.name }] : [],
  );
  return [...acted, ...heard, ...answers({ flow, state })];
}

interface Found {
  readonly state: FlowState;
  readonly at: number;
}
/** States differ by what decides how they go on: times and inputs left out. */
const keyOf = ({ done, positions, uses = {} }: FlowState) =>
  JSON.stringify([done, uses, positions.map(({ node, due }) => [node, due.map(({ key }) => key)])]);

/** Breadth first: every state that can be reached, with those that follow it. */
function explore(walk: Walk, who: readonly ('seller' | 'buyer')[]): ReadonlyMap<string, readonly string[]> {
  const after = new Map<string, string[]>();
  const open: Found[] = [{ state: walk.state, at: walk.at }];
  for (const { state, at } of open) {
    if (after.has(keyOf(state)) || open.length > 20_000) continue;
    const due = nearest(state);
    const events = following({ ...walk, state }, who).map((event) => [event, at] as const);
    const timed = due ? [[{ type: 'elapsed' } as FlowEvent, Math.max(at, due.at)] as const] : [];
    const results = [...events, ...timed].flatMap(([event, when]) => {
      const result = step(walk.flow, state, event, when, FACTS);
      return result.ok ? [{ state: result.state, at: when }] : [];
    });
    after.set(
      keyOf(state),
      results.map((one) => keyOf(one.state)),
    );
    open.push(...results);
  }
  return after;
}
/** The states from which none that is done can be reached. */
function stuck(after: ReadonlyMap<string, readonly string[]>): string[] {
  const finishing = new Set([...after.keys()].filter((key) => !key.startsWith('[null')));
  for (let size = -1; size !== finishing.size;) {
    size = finishing.size;
    for (const [key, next] of after) if (next.some((one) => finishing.has(one))) finishing.add(key);
  }
  return [...after.keys()].filter((key) => !finishing.has(key));
}

describe.each(PRESETS)('$key', ({ key, graph, progression }) => {
  const flow = compileFlow({ '': graph });
  test('may be published, and warns only of states that wait for people', () => {
    const { publishable, blocking, warnings } = checkGraph(graph, context);
    expect({ publishable, blocking }).toEqual({ publishable: true, blocking: [] });
    expect(new Set(warnings.map(({ code }) => code)).difference(new Set(['NO_DEADLINE']))).toEqual(new Set());
    expect(flow.progression).toBe(progression);
  });
  test('from every state that it comes to it can end; every node is come to', () => {
    const after = explore(begin(flow), ['seller', 'buyer']);
    expect(stuck(after)).toEqual([]);
    const nodes = new Set([...after.keys()].map((one) => (JSON.parse(one) as [unknown, unknown, [[string]]])[2][0][0]));
    const ends = (one: string) => graph.states.some(({ id, type }) => id === one && type === 'end');
    expect([...nodes].toSorted()).toEqual(graph.states.map(({ id }) => id).toSorted());
    expect([...nodes].some(ends)).toBe(true);
  });
  test('the seller and time alone bring it to its end', () => {
    expect(stuck(explore(begin(flow), ['seller']))).toEqual([]);
  });
  test('the seller cancels no goods after dispatch, and extensions are not capped', () => {
    const isOfGoods = ['shipping-standard', 'custom-made', 'food-delivery'].includes(key);
    const late = graph.states.filter((node) => node.type === 'state' && (node.status === 'DISPATCHED' || node.status === 'DELIVERED'));
    for (const node of late)
      if (isOfGoods)
        expect(node.type === 'state' && [node.permissions?.sellerForcedCancel, node.permissions?.sellerCancelHoldRefund]).toEqual([
          undefined,
          undefined,
        ]);
    for (const action of graph.actions) if (action.platform === 'extend') expect(action.maxUses).toBeUndefined();
  });
});

test('presets stand in the order of the specification', () => {
  expect(PRESETS.map(({ key, progression }) => [key, progression])).toEqual([
    ['shipping-standard', 'ITEM'],
    ['manual-standard', 'ITEM'],
    ['custom-made', 'ITEM'],
    ['food-delivery', 'ORDER_GROUP'],
    ['ticket', 'ITEM'],
    ['stay', 'ITEM'],
  ]);
});

test('a new flow may be saved, but not published', () => {
  const { blocking } = checkGraph(emptyGraph(), context);
  expect(blocking.map(({ code }) => code)).toEqual(['DEAD_END', 'NO_TERMINAL']);
});

test('silence on a proof never starts production', () => {
  const flow = compileFlow({ '': PRESETS[2]!.graph });
  const walk = begin(flow);
  const events: FlowEvent[] = [
    { type: 'seller.action', key: 'accept', input: { madeBy: '2026-12-20' } },
    { type: 'seller.action', key: 'sendProof', attachments: UPLOADS },
  ];
  const sent = events.reduce((state, event) => {
    const result = step(flow, state, event, START, FACTS);
    if (!result.ok) throw new Error(result.reason);
    return result.state;
  }, walk.state);
  const result = step(flow, sent, { type: 'elapsed' }, START + 400 * 86_400_000, FACTS);
  expect(result).toMatchObject({ ok: true, state: { done: 'CANCELED', status: 'CANCELED' } });
});
