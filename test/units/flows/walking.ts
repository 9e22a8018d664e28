/** Walks through flows: what may happen in a state, and driving it to its end. */
import fc from 'fast-check';
import { actions } from '../../../domain/flows/run/actions.ts';
import type { Flow } from '../../../domain/flows/run/flow.ts';
import { moveTargets } from '../../../domain/flows/run/move.ts';
import { leaves, nearest } from '../../../domain/flows/run/positions.ts';
import { step } from '../../../domain/flows/run/step.ts';
import type { Effect, Facts, FlowEvent, FlowState, StepResult, Trace } from '../../../domain/flows/run/state.ts';
import { DAY, HOUR } from '../../../domain/kernel/time.ts';

export const START = Date.UTC(2026, 10, 25);
export const UPLOADS = ['https://shop.example/a.png', 'https://shop.example/b.png'];
const item = {
  quantity: 2,
  unitPrice: 10_000,
  option: { showAt: '2026-12-24T19:30:00+09:00' },
  stay: { checkIn: '2026-12-24', checkOut: '2026-12-26', nights: 2 },
};
export const FACTS: Facts = {
  settings: { autoDeliverDays: 7, autoConfirmDays: 7 },
  holidays: new Set(['2026-12-25']),
  items: { a: item, b: { ...item, quantity: 1 } },
  order: { paidAt: START, totalAmount: 30_000 },
  refundableWon: { a: 20_000, b: 10_000 },
  uploads: new Set(UPLOADS),
};
const membersOf = ({ progression }: Flow) =>
  progression === 'ITEM'
    ? [{ id: 'a', activeQuantity: 2 }]
    : [
        { id: 'a', activeQuantity: 2 },
        { id: 'b', activeQuantity: 1 },
      ];

/** Everything that has happened so far. */
export interface Walk {
  readonly flow: Flow;
  state: FlowState;
  at: number;
  readonly effects: Effect[];
  readonly trace: Trace[];
}
export function begin(flow: Flow): Walk {
  const walk: Walk = { flow, state: null as unknown as FlowState, at: START, effects: [], trace: [] };
  send(walk, { type: 'start', members: membersOf(flow) });
  return walk;
}
/** Sends an event at the walk's time; a refusal changes nothing. */
export function send(walk: Walk, event: FlowEvent, facts: Partial<Facts> = {}): StepResult {
  const result = step(walk.flow, walk.state, event, walk.at, { ...FACTS, ...facts });
  if (!result.ok) return result;
  walk.state = result.state;
  walk.effects.push(...result.effects);
  walk.trace.push(...result.trace);
  return result;
}

/** Everything that the state offers, and some that it does not: claims, cancels and moves too. */
function choices({ flow, state }: Walk): FlowEvent[] {
  const forms = [{}, { choice: 'A' }, { choice: 'B' }];
  const acted = (['seller', 'buyer'] as const).flatMap((by) =>
    actions(flow, state, by).flatMap(({ action: { key } }) =>
      forms.map((input): FlowEvent => ({
        type: `${by}.action`,
        key,
        input,
        attachments: key.endsWith('upload') ? UPLOADS.slice(0, 1) : [],
      })),
    ),
  );
  const heard = leaves(flow, state).flatMap(({ graph, node }) =>
    (graph.edgesFrom.get(node.id) ?? []).flatMap(({ on }): FlowEvent[] =>
      on.type === 'event' ? [{ type: 'event', name: on.name, data: { value: 1 } }] : [],
    ),
  );
  const claims: FlowEvent[] = (state.done ? [] : state.members).map(({ id }) => ({
    type: 'claim.opened',
    claimId: `c${state.seq}`,
    member: id,
  }));
  const closed = state.claims.map(({ id }): FlowEvent => ({ type: 'claim.closed', claimId: id }));
  const reduced = state.members.map(({ id }): FlowEvent => ({
    type: 'reduced',
    member: id,
    quantity: 1,
    cause: 'CLAIM_RETURN',
    refId: 'x',
  }));
  const moved = moveTargets(flow, state).map((to): FlowEvent => ({ type: 'move', to }));
  return [...acted, ...heard, ...answers({ flow, state }), ...claims, ...closed, ...reduced, ...moved];
}
export const answers = ({ flow, state }: Pick<Walk, 'flow' | 'state'>): FlowEvent[] =>
  leaves(flow, state).flatMap(({ position: { call } }) =>
    call === undefined
      ? []
      : (['success', 'skipped', 'failed'] as const).map((value): FlowEvent => ({ type: 'result', call, value, data: { code: 'x' } })),
  );

/** Lets time pass, or something of `choices` happen. */
export function happen(walk: Walk, choice: number): StepResult {
  const offered = choices(walk);
  const picked = choice % (offered.length + 3);
  if (picked < offered.length) return send(walk, offered[picked]!);
  const next = nearest(walk.state)?.at ?? walk.at;
  walk.at = Math.max(walk.at, [walk.at + HOUR, next, next + 3 * DAY][picked - offered.length]!);
  return send(walk, { type: 'elapsed' });
}
export const choicesOfWalk = fc.array(fc.nat(10_000), { maxLength: 25 });

/** To the end by answers, by the seller's ways on and by time alone; answers whether it ended. */
export function finish(walk: Walk): boolean {
  for (const { id } of walk.state.claims) send(walk, { type: 'claim.closed', claimId: id });
  for (let left = 400; left > 0 && !walk.state.done; left--) {
    const [answer] = answers(walk);
    const way = actions(walk.flow, walk.state, 'seller').find(({ action, reason }) => reason === null && action.key.endsWith('-go'));
    if (answer) send(walk, answer);
    else if (way) send(walk, { type: 'seller.action', key: way.action.key });
    else {
      const due = nearest(walk.state);
      if (!due) return false;
      walk.at = Math.max(walk.at, due.at);
      send(walk, { type: 'elapsed' });
    }
  }
  return walk.state.done !== undefined;
}
