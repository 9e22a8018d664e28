/** What the expressions of a state cost together: each by itself is judged where it stands. */
import { sameTrigger } from '../run/enter.ts';
import type { Edge, StateNode, Trigger } from '../graph/graph.ts';
import type { Report } from './issues.ts';
import type { Values } from './values.ts';
import type { View } from './view.ts';

/** All conditions that one trigger of one node may have judged. */
const MAX_OF_TRIGGER = 10_000;
/** All fees and limits of one state; its deadlines, which are told at its entry, another time as much. */
const MAX_OF_STATE = 5000;

export function checkPrices({ graph, edgesFrom }: View, { block }: Report, values: Values): void {
  for (const node of graph.states) {
    const nodeId = node.id;
    for (const [on, price] of triggerPrices(edgesFrom(nodeId), values))
      if (price > MAX_OF_TRIGGER)
        block('TOO_COSTLY', { nodeId }, `The conditions of ${nameOf(on)} cost ${price} together, of ${MAX_OF_TRIGGER} at most.`);
    if (node.type !== 'state') continue;
    const terms = termsPrice(node, values);
    if (terms > MAX_OF_STATE)
      block('TOO_COSTLY', { nodeId, field: 'permissions' }, `Fees and limits cost ${terms} together, of ${MAX_OF_STATE} at most.`);
    const deadlines = (node.deadlines ?? []).reduce((total, { at }) => total + values.price(at), 0);
    if (deadlines > MAX_OF_STATE)
      block('TOO_COSTLY', { nodeId, field: 'deadlines' }, `The deadlines cost ${deadlines} together, of ${MAX_OF_STATE} at most.`);
  }
}

function triggerPrices(edges: readonly Edge[], { price }: Values): readonly (readonly [Trigger, number])[] {
  const prices: [Trigger, number][] = [];
  for (const { on, when } of edges) {
    const known = prices.find(([other]) => sameTrigger(other, on));
    if (known) known[1] += price(when);
    else prices.push([on, price(when)]);
  }
  return prices;
}

const termsPrice = ({ permissions = {} }: StateNode, { price }: Values): number =>
  Object.values(permissions).reduce((total, terms) => total + (terms === true ? 0 : price(terms.until) + price(terms.deduct)), 0);

function nameOf(on: Trigger): string {
  if (on.type === 'elapsed') return `the deadline ${on.deadline}`;
  if (on.type === 'event') return `the event ${on.name}`;
  return on.type === 'result' ? `the result ${on.value}` : `the action ${on.key}`;
}
