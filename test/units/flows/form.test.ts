import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { closed } from '../../../api/declare/schema.ts';
import { checker } from '../../../api/validation/validate.ts';
import { checkGraph } from '../../../domain/flows/check/checkGraph.ts';
import type { Graph } from '../../../domain/flows/graph/graph.ts';
import { EXECUTION_TYPES, INPUT_TYPES, NODE_TYPES, platformActionDocs } from '../../../domain/flows/form/nodeTypes.ts';
import { emptyGraph, PRESETS } from '../../../domain/flows/presets/index.ts';
import { GraphForm } from '../../../domain/flows/form/schemas.ts';
import { PLATFORM_FIELDS } from '../../../domain/orders/platform.ts';
import { context, sample } from './check/sample.ts';
import { garbageGraphs } from './garbage.ts';

const problems = checker(closed({ graph: GraphForm }), 'json');
type Loose = Record<string, unknown> & {
  states: Record<string, unknown>[];
  edges: Record<string, unknown>[];
  actions: { input: Record<string, unknown>[] }[];
};
const changed = (change: (graph: Loose) => void): unknown => {
  const graph = JSON.parse(JSON.stringify(PRESETS[2]!.graph)) as Loose;
  change(graph);
  return { graph };
};
const found = (change: (graph: Loose) => void) => problems(changed(change)).map(({ field, code }) => [field, code]);

test('presets, the empty graph and a graph with every type of node have the form', () => {
  for (const graph of [...PRESETS.map((preset) => preset.graph), emptyGraph(), sample]) expect(problems({ graph })).toEqual([]);
});

describe('problems of the form are told at their place, those of the meant type only', () => {
  test.each<[string, string, (graph: Loose) => void]>([
    ['graph.states[1].label', 'REQUIRED', (g) => delete g.states[1]!['label']],
    ['graph.states[1].type', 'INVALID_VALUE', (g) => (g.states[1]!['type'] = 'robot')],
    ['graph.states[1].type', 'REQUIRED', (g) => delete g.states[1]!['type']],
    ['graph.states[1].color', 'UNKNOWN_FIELD', (g) => (g.states[1]!['color'] = 'red')],
    ['graph.states[1].id', 'INVALID', (g) => (g.states[1]!['id'] = '1st')],
    ['graph.states[1].permissions.cancelRequest', 'INVALID', (g) => (g.states[1]!['permissions'] = { cancelRequest: false })],
    [
      'graph.states[1].permissions.cancelRequest.within',
      'INVALID_TYPE',
      (g) => (g.states[1]!['permissions'] = { cancelRequest: { within: 7 } }),
    ],
    [
      'graph.states[1].permissions.cancelRequest.fee.percent',
      'REQUIRED',
      (g) => (g.states[1]!['permissions'] = { cancelRequest: { fee: { type: 'ratio' } } }),
    ],
    ['graph.states[1].deadlines[0].after', 'INVALID_TYPE', (g) => (g.states[1]!['deadlines'] = [{ key: 'late', after: 7 }])],
    ['graph.edges[0].on.type', 'INVALID_VALUE', (g) => (g.edges[0]!['on'] = { type: 'other', key: 'x' })],
    ['graph.edges[0].on', 'INVALID_TYPE', (g) => (g.edges[0]!['on'] = 'seller.action')],
    ['graph.edges[0].id', 'INVALID', (g) => (g.edges[0]!['id'] = 'a b')],
    ['graph.edges[0].run[0].type', 'INVALID_VALUE', (g) => (g.edges[0]!['run'] = [{ type: 'pay' }])],
    ['graph.edges[0].run[0].message', 'REQUIRED', (g) => (g.edges[0]!['run'] = [{ type: 'notify', name: 'x', to: 'buyer' }])],
    ['graph.actions[0].input[0].type', 'INVALID_VALUE', (g) => (g.actions[0]!.input[0]!['type'] = 'color')],
    ['graph.actions[0].platform', 'INVALID_VALUE', (g) => Object.assign(g.actions[0]!, { platform: 'pay' })],
    ['graph.edges', 'REQUIRED', (g) => delete (g as Partial<Loose>).edges],
    ['graph.tables.fees[1].value', 'INVALID', (g) => Object.assign(g, { tables: { fees: [{ days: 1, value: 1 }, { days: 1 }] } })],
    [
      'graph.tables.fees[0]',
      'TOO_MANY',
      (g) => Object.assign(g, { tables: { fees: [{ days: 1, value: 1, from: '01-01', to: '01-02' }] } }),
    ],
    ['graph.states', 'TOO_MANY', (g) => (g.states = Array.from({ length: 1001 }, () => ({})))],
  ])('%s %s', (field, code, change) => {
    expect(found(change)).toEqual([[field, code]]);
  });
  test('values and references are none of them', () => {
    expect(
      found((g) => {
        Object.assign(g, { start: 'nowhere', requires: { progression: 'ALL', groupClaim: 'STOP' } });
        Object.assign(g.states[1]!, { status: 'RETURNED', deadlines: [{ key: 'a', setting: 'x', after: 'soon', at: '1 +' }] });
        g.states[2]!['permissions'] = { buyerCancel: { fee: { type: 'flat', amount: -1.5 }, deduct: -1 } };
        Object.assign(g.edges[0]!, { to: 'nowhere', on: { type: 'result', value: 'maybe' }, when: '((' });
      }),
    ).toEqual([]);
  });
});

test('a graph of any garbage that has the form is checked: nothing throws, and every problem has its place', () => {
  fc.assert(
    fc.property(garbageGraphs, (graph) => {
      expect(problems({ graph })).toEqual([]);
      const { publishable, blocking, warnings } = checkGraph(graph as Graph, context);
      expect(publishable).toBe(blocking.length === 0);
      expect(blocking.length + warnings.length).toBeLessThanOrEqual(200);
    }),
    { numRuns: 200 },
  );
});

describe('what an editor is told', () => {
  const ajv = new Ajv2020({ strict: false });
  const docs = [...NODE_TYPES, ...EXECUTION_TYPES, ...INPUT_TYPES];
  test.each(docs)('the schema of $type is one of the dialect, closed, for this type alone', ({ type, schema }) => {
    expect(ajv.compile(schema)({})).toBe(false);
    expect(schema).toMatchObject({ additionalProperties: false, properties: { type: { const: type } } });
    expect(JSON.stringify(schema)).not.toContain('x-document');
  });
  test('nodes and executions of the presets fit the schemas of their types', () => {
    const schemas = new Map(docs.map(({ type, schema }) => [type, ajv.compile(schema)]));
    for (const { graph } of PRESETS) {
      for (const node of graph.states) expect([node.id, schemas.get(node.type)!(node)]).toEqual([node.id, true]);
      for (const execution of graph.edges.flatMap(({ run = [] }) => run)) expect(schemas.get(execution.type)!(execution)).toBe(true);
      for (const field of graph.actions.flatMap(({ input = [] }) => input)) expect(schemas.get(field.type)!(field)).toBe(true);
    }
  });
  test('built-in actions tell their fields', () => {
    const dispatch = platformActionDocs(PLATFORM_FIELDS).find(({ key }) => key === 'dispatch');
    expect(dispatch?.input.map(({ key }) => key)).toEqual(['deliveryMethod', 'carrierCode', 'trackingNumber']);
  });
});
