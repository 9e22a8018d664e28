import type { Graph } from '../graph/graph.ts';

/** What a new flow begins with: one paid state that nothing leaves, so that it cannot be published yet. */
export const emptyGraph = (): Graph => ({
  schema: 1,
  start: 'paid',
  states: [{ id: 'paid', type: 'state', status: 'PAID', step: 'SELLER_PROCESSING', label: '결제 완료' }],
  actions: [],
  edges: [],
});
