/**
 * The order-flow interpreter: one pure function for commands, deadlines and events (docs/contract.md#flow). Transitions, reads, simulations
 * and the API's early refusals call it alike.
 */
import { act, answer, receive } from './act.ts';
import { TIMEOUT } from './deadlines.ts';
import { beginStep, type Draft, nodesOf, positionOf, refuse, setPosition, stepped } from './draft.ts';
import { dropBelow, edgesOn, enter, hasRoom, passable, settle, take } from './enter.ts';
import type { Flow } from './flow.ts';
import { closeClaim, openClaim, reduce } from './members.ts';
import { move } from './move.ts';
import { elapsesAt, withMove } from './pace.ts';
import { nearest, locationOf } from './positions.ts';
import type { Facts, FlowEvent, FlowState, Refusal, StepResult } from './state.ts';

const NEW: FlowState = { v: 1, seq: 0, members: [], claims: [], status: 'PAID', positions: [] };

/**
 * Applies one event at the business time `at`. `elapsed` applies everything due by then, nearest first, each at
 * its own time: dispatched at 0 with 7 + 7 days, elapsed at day 20 → delivered on day 7, decided on day 14. What has no room by then stays
 * due. A flow starts once.
 */
export function step(flow: Flow, state: FlowState | null, event: FlowEvent, at: number, facts: Facts): StepResult {
  const draft = beginStep(flow, state ?? NEW, at, facts);
  const refusal = (state === null) !== (event.type === 'start') ? refuse('STALE', 'STALE') : perform(draft, event);
  if (refusal) return refusal;
  return stepped(draft);
}

function perform(draft: Draft, event: FlowEvent): Refusal | null {
  switch (event.type) {
    case 'start':
      return start(draft, event.members);
    case 'seller.action':
    case 'buyer.action':
      return act(draft, event);
    case 'event':
      return receive(draft, event);
    case 'elapsed':
      return elapse(draft);
    case 'SLOWED':
      return slow(draft, event.until);
    case 'result':
      return answer(draft, event);
    case 'claim.opened':
      openClaim(draft, event);
      return null;
    case 'claim.closed':
      closeClaim(draft, event);
      return null;
    case 'reduced':
      return reduce(draft, event);
    case 'move':
      return move(draft, event);
    default:
      return event satisfies never;
  }
}

function start(draft: Draft, members: FlowState['members']): null {
  draft.state = { ...NEW, members, positions: [{ id: 'p0', node: '', enteredAt: draft.at, due: [], status: 'PAID' }] };
  enter(draft, 'p0', draft.flow.main.graph.start);
  settle(draft);
  draft.trace.push({ at: draft.at, edges: [], from: [], to: nodesOf(draft.state) });
  return null;
}

/** Nothing moves. */
function slow(draft: Draft, slowedUntil: number): null {
  draft.state = { ...draft.state, slowedUntil };
  const nodes = nodesOf(draft.state);
  draft.trace.push({ at: draft.at, edges: [], from: nodes, to: nodes });
  return null;
}

/** Everything due by now, nearest first, each at its own time, or later where there is no room before. */
function elapse(draft: Draft): null {
  const until = draft.at;
  for (let at = elapsesAt(draft.state); at <= until && hasRoom(draft); at = elapsesAt(draft.state)) {
    const { key, position: id } = nearest(draft.state)!;
    draft.at = at;
    draft.state = withMove(draft.state, at);
    const position = positionOf(draft, id);
    const rest = { ...position, due: position.due.filter((d) => d.key !== key) };
    setPosition(draft, rest);
    const location = locationOf(draft.flow, rest);
    const isWhole = location.node.type === 'parallel' || location.node.type === 'call';
    // What runs inside ends with the deadline of the whole.
    if (isWhole) dropBelow(draft, id);
    const on = isWhole ? ({ type: 'result', value: TIMEOUT } as const) : ({ type: 'elapsed', deadline: key } as const);
    const edge = passable(draft, location, edgesOn(location, on));
    if (edge) take(draft, location, edge);
  }
  return null;
}
