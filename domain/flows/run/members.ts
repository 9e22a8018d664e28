/** Claims and cancels of the members of a flow: it pauses and goes on, members stand still, rejoin and leave. */
import { cancelMembers } from './enter.ts';
import { pauseDeadlines, resumeDeadlines } from './deadlines.ts';
import { type Draft, refuse } from './draft.ts';
import { labelOf } from './flow.ts';
import { goesOn, isPaused, locationOf } from './positions.ts';
import type { FlowEvent, FlowState, Member, ReduceCause, Refusal } from './state.ts';

type Event<T extends FlowEvent['type']> = Extract<FlowEvent, { readonly type: T }>;

/** How an item ends when its last units leave. */
const ENDS = {
  SELLER_CANCEL: { node: 'canceled', label: '취소 완료', status: 'CANCELED', done: 'CANCELED' },
  CLAIM_CANCEL: { node: 'canceled', label: '취소 완료', status: 'CANCELED', done: 'CANCELED' },
  CLAIM_RETURN: { node: 'returned', label: '반품 완료', status: 'RETURNED', done: 'CANCELED' },
  CLAIM_EXCHANGE: { node: 'exchanged', label: '교환 완료', status: 'EXCHANGED', done: 'COMPLETED' },
} as const satisfies Record<ReduceCause, object>;

/** Whose change an effect tells of; in a flow of one item that goes without saying. */
const only = ({ flow }: Draft, id: string) => (flow.progression === 'ITEM' ? {} : { members: [id] });

/** Takes units away. A member without units leaves; with the last one the flow ends. */
export function reduce(draft: Draft, { member: memberId, quantity, cause }: Event<'reduced'>): Refusal | null {
  const { state } = draft;
  const member = state.members.find(({ id }) => id === memberId);
  if (!member || (state.done && !member.standsAt)) return refuse('STALE', 'STALE');
  if (quantity < 1 || quantity > member.activeQuantity) return refuse('INVALID_QUANTITY', 'INVALID_QUANTITY');
  const activeQuantity = member.activeQuantity - quantity;
  if (activeQuantity > 0) {
    draft.state = { ...state, members: state.members.map((m) => (m === member ? { ...m, activeQuantity } : m)) };
    return null;
  }
  const members = state.members.filter((m) => m !== member);
  const { node, label, status, done } = ENDS[cause];
  const { node: from, status: was } = whereIs(draft, member);
  const of = only(draft, memberId);
  draft.effects.push(
    { type: 'state', from, to: node, label, at: draft.at, ...of },
    { type: 'status', from: was, to: status, at: draft.at, ...of },
  );
  draft.state = { ...state, members };
  if (members.length === 0 && !state.done) {
    const positions = state.positions.filter(({ parent }) => parent === undefined).map((p) => ({ ...p, due: [] }));
    draft.state = { ...draft.state, positions, status, done };
  }
  return null;
}

/** Where a member is: at the main position of the flow, or where its claim keeps it. */
function whereIs({ flow, state }: Draft, { standsAt }: Member): NonNullable<Member['standsAt']> {
  const main = state.positions[0]!;
  return standsAt ?? { node: main.node, label: labelOf(locationOf(flow, main).node), status: state.status };
}

/** The first claim pauses every deadline; in a group that goes on, the member stands still instead. */
export function openClaim(draft: Draft, { claimId, member: memberId }: Event<'claim.opened'>): void {
  const { flow, state, at } = draft;
  const wasPaused = isPaused(flow, state);
  const claims = [...state.claims, { id: claimId, member: memberId }];
  if (!goesOn(flow)) {
    draft.state = { ...(wasPaused ? state : pauseDeadlines(state, at)), claims };
    return;
  }
  const members = state.members.map((m) => (m.id === memberId ? { ...m, standsAt: whereIs(draft, m) } : m));
  draft.state = { ...state, claims, members };
}

/** The last claim's end lets the deadlines go on with the time that was left; a member that stood still joins the others. */
export function closeClaim(draft: Draft, { claimId }: Event<'claim.closed'>): void {
  const { flow, state, at } = draft;
  const closed = state.claims.find(({ id }) => id === claimId);
  const claims = state.claims.filter((claim) => claim !== closed);
  draft.state = { ...state, claims };
  if (closed && goesOn(flow)) return rejoin(draft, closed.member);
  if (isPaused(flow, state) && claims.length === 0) draft.state = { ...resumeDeadlines(state, at), claims };
}

/** Joins the group's present state, an end included: decided, or canceled with its refund. One that has left by then does not. */
function rejoin(draft: Draft, memberId: string): void {
  const { state, at } = draft;
  const member = state.members.find(({ id }) => id === memberId);
  if (!member?.standsAt || state.claims.some((claim) => claim.member === memberId)) return;
  const { standsAt, ...back } = member;
  draft.state = { ...state, members: state.members.map((m): Member => (m === member ? back : m)) };
  const now = whereIs(draft, back);
  const members = [memberId];
  if (now.node !== standsAt.node) draft.effects.push({ type: 'state', from: standsAt.node, to: now.node, label: now.label, at, members });
  if (state.done === 'CANCELED') cancelMembers(draft, members);
  if (now.status !== standsAt.status) draft.effects.push({ type: 'status', from: standsAt.status, to: now.status, at, members });
}

/** It has ended, and no member stands still any more. */
export const isOver = ({ done, claims }: FlowState): boolean => done !== undefined && claims.length === 0;
