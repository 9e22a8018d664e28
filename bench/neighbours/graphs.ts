/** Flows of a hostile store. */
import type { Edge, Graph } from '../../domain/flows/graph/graph.ts';

export type FlowShape = Graph;

const SECOND = { key: 'second', after: 'PT1S' } as const;
const finish = { type: 'seller.action', key: 'finish' } as const;
const elapsed = { type: 'elapsed', deadline: SECOND.key } as const;

function loop(edges: readonly Edge[], tables: Graph['tables'] = {}): Graph {
  const state = (id: string) => ({ id, type: 'state', status: 'PAID', step: 'SELLER_PROCESSING', label: id, deadlines: [SECOND] }) as const;
  return {
    schema: 1,
    start: 'one',
    tables,
    states: [state('one'), state('two'), { id: 'end', type: 'end', outcome: 'COMPLETED', label: 'end' }],
    actions: [{ key: 'finish', by: 'seller', label: 'finish' }],
    edges: [
      ...edges,
      { id: 'there', from: 'one', to: 'two', on: elapsed },
      { id: 'back', from: 'two', to: 'one', on: elapsed },
      { id: 'out', from: 'one', to: 'end', on: finish },
      { id: 'out2', from: 'two', to: 'end', on: finish },
    ],
  };
}

/** It moves every second. */
export const simpleLoop = (): Graph => loop([]);

/** The same, and every move judges a hundred conditions, each of which looks at 5,200 rows. */
export function costlyLoop(): Graph {
  const rows = Array.from({ length: 100 }, () => ({ from: '01-01', to: '01-02' }));
  const when = `${Array.from({ length: 52 }, () => 'inRanges(now, t)').join(' || ')} && false`;
  const edges = Array.from({ length: 98 }, (_, n): Edge => ({ id: `e${n}`, from: 'one', to: 'two', on: elapsed, when }));
  return loop(edges, { t: rows });
}

/** It notifies so often when an item is paid for, or a second after. */
export function notifying(times: number): Graph {
  const graph = loop([]);
  const run = Array.from({ length: times }, (_, n) => ({ type: 'notify', name: `n${n}`, to: 'seller', message: 'x'.repeat(100) }) as const);
  const edges = graph.edges.filter(({ id }) => id !== 'back').map((edge) => (edge.id === 'there' ? { ...edge, run } : edge));
  const states = graph.states.map((one) =>
    one.id === 'two' ? ({ id: 'two', type: 'state', status: 'PAID', step: 'SELLER_PROCESSING', label: 'two' } as const) : one,
  );
  return { ...graph, states, edges };
}
