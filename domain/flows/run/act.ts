/** Actions of sellers and buyers, and events from outside (F20). */
import { withData } from './data.ts';
import { edgesOn, isPossible, passable, take } from './enter.ts';
import { type Draft, refuse, setPosition } from './draft.ts';
import { inputIssues, type Room, sentValues } from './inputs.ts';
import { formOf } from '../graph/forms.ts';
import type { Action, Edge, InputField, Trigger } from '../graph/graph.ts';
import { withMove } from './pace.ts';
import { isHeld, leaves, type Location } from './positions.ts';
import { handOver } from './handover.ts';
import { roomFor } from './room.ts';
import type { FlowEvent, FlowState, Refusal, RefusalReason } from './state.ts';

type ActionEvent = Extract<FlowEvent, { readonly type: 'seller.action' | 'buyer.action' }>;
type OutsideEvent = Extract<FlowEvent, { readonly type: 'event' }>;

/** Limits count over the whole run, each graph's actions by themselves. */
const useKey = ({ position }: Location, action: Action): string =>
  position.flow === undefined ? action.key : `${position.flow}/${action.key}`;
/** Keys are a graph's: one may be called as something of a prototype, like `constructor`. */
const usesOf = ({ uses = {} }: FlowState, key: string): number => (Object.hasOwn(uses, key) ? uses[key]! : 0);
export const isUsedUp = (state: FlowState, location: Location, action: Action): boolean =>
  action.maxUses !== undefined && usesOf(state, useKey(location, action)) >= action.maxUses;

/** The state is judged before the input, the input before the attachments; a refusal changes nothing. */
export function act(draft: Draft, event: ActionEvent): Refusal | null {
  const { state } = draft;
  const refused = (reason: RefusalReason) => refuse('ACTION_NOT_AVAILABLE', reason);
  if (state.done) return refused('FINISHED');
  if (isHeld(draft.flow, state, event.member)) return refused('CLAIM_IN_PROGRESS');
  const on: Trigger = { type: event.type, key: event.key };
  let reason: RefusalReason = 'NOT_IN_STATE';
  for (const location of leaves(draft.flow, state)) {
    const action = location.graph.actions.get(event.key);
    const edges = edgesOn(location, on).filter((edge) => isPossible(location, edge));
    if (!action || `${action.by}.action` !== event.type || edges.length === 0) continue;
    if (isUsedUp(state, location, action)) reason = 'LIMIT_REACHED';
    else {
      const result = tryEdges(draft, { location, action, edges }, event);
      if (result !== 'CONDITION') return result;
      reason = result;
    }
  }
  return refused(reason);
}

interface Attempt {
  readonly location: Location;
  readonly action: Action;
  readonly edges: readonly Edge[];
}
/** CONDITION: no edge's condition holds, and nothing has changed. */
function tryEdges(draft: Draft, { location, action, edges }: Attempt, event: ActionEvent): Refusal | 'CONDITION' | null {
  const { attachments = [] } = event;
  const uploads = draft.facts.uploads ?? NONE;
  const issues = inputIssues(
    fieldsOf(draft, action, event),
    sentTo(action, event),
    (one) => uploads.has(one),
    roomOf(draft, location, action, event),
  );
  if (issues.length > 0) return { ...refuse('FLOW_ACTION_INPUT_INVALID', 'INPUT'), issues };
  const before = draft.state;
  draft.state = withInput(before, action, sentValues(action, event.input ?? {}));
  const edge = passable(draft, location, edges);
  if (!edge) {
    draft.state = before;
    return 'CONDITION';
  }
  const problem = attachmentProblem(location, edge, attachments, uploads);
  if (problem) return refuse('ACTION_NOT_AVAILABLE', problem);
  const key = useKey(location, action);
  const uses = { ...draft.state.uses, [key]: usesOf(draft.state, key) + 1 };
  if (action.maxUses !== undefined) draft.state = { ...draft.state, uses };
  take(draft, location, edge, attachments);
  handOver(draft, action);
  return null;
}
const NONE: ReadonlySet<string> = new Set();

/** Attachments that are no uploads of the store are refused as that, after the input. A replay takes what was taken then. */
function roomOf({ state, facts }: Draft, { position }: Location, action: Action, { attachments = [] }: ActionEvent): Room | undefined {
  if (facts.isReplay) return undefined;
  return {
    stored: new Set((action.input ?? []).map(({ key }) => key)),
    bytes: roomFor(state, position, action),
    attachments: attachments.filter((one) => facts.uploads?.has(one)),
  };
}

/** A built-in endpoint checks its own fields itself; what the graph declares is checked here, whichever way it came. */
const fieldsOf = ({ facts }: Draft, action: Action, { isPlatform }: ActionEvent): readonly InputField[] =>
  isPlatform ? (action.input ?? []) : formOf(action, facts.platformFields ?? {});
function sentTo({ input: own = [] }: Action, { input = {}, isPlatform }: ActionEvent): Readonly<Record<string, unknown>> {
  if (!isPlatform) return input;
  const declared = new Set(own.map(({ key }) => key));
  return Object.fromEntries(Object.entries(input).filter(([key]) => declared.has(key)));
}

/** All keys of the form are replaced, those that were left out removed; the others stay. */
function withInput(state: FlowState, { input: fields = [], by }: Action, sent: Readonly<Record<string, unknown>>): FlowState {
  if (fields.length === 0) return state;
  const own = new Set(fields.map(({ key }) => key));
  const { inputs = {}, buyerKeys = [] } = state;
  const others = Object.entries(inputs).filter(([key]) => !own.has(key));
  const ofBuyer = [...buyerKeys.filter((key) => !own.has(key)), ...(by === 'buyer' ? Object.keys(sent) : [])];
  return {
    ...state,
    inputs: { ...Object.fromEntries(others), ...sent },
    ...((buyerKeys.length > 0 || ofBuyer.length > 0) && { buyerKeys: ofBuyer }),
  };
}

/** ATTACHMENTS_INVALID: foreign, twice, too many, or where none are taken; ATTACHMENTS_REQUIRED: fewer than the target needs (F24). */
function attachmentProblem(
  { graph }: Location,
  edge: Edge,
  attachments: readonly string[],
  uploads: ReadonlySet<string>,
): 'ATTACHMENTS_REQUIRED' | 'ATTACHMENTS_INVALID' | null {
  const target = edge.internal ? undefined : graph.nodes.get(edge.to);
  const wanted = target?.type === 'state' ? target.attachments : undefined;
  const isTwice = new Set(attachments).size < attachments.length;
  if (isTwice || attachments.length > (wanted?.max ?? 0) || !attachments.every((one) => uploads.has(one))) return 'ATTACHMENTS_INVALID';
  return attachments.length < (wanted?.min ?? 0) ? 'ATTACHMENTS_REQUIRED' : null;
}

/** An event from outside; its data become blocks of the flow where it is accepted. The state is judged first, then the size of the data. */
export function receive(draft: Draft, { name, member, data }: OutsideEvent): Refusal | null {
  const { state } = draft;
  const refused = (reason: RefusalReason) => refuse('FLOW_EVENT_NOT_ACCEPTED', reason);
  if (state.done) return refused('FINISHED');
  if (isHeld(draft.flow, state, member)) return refused('CLAIM_IN_PROGRESS');
  const found = leaves(draft.flow, state)
    .map((location) => ({ location, edges: edgesOn(location, { type: 'event', name }).filter((edge) => isPossible(location, edge)) }))
    .filter(({ edges }) => edges.length > 0);
  if (found.length === 0) return refused('NOT_IN_STATE');
  const known = data ? withData(state, data) : state;
  if (!known) return refuse('VALIDATION_FAILED', 'TOO_LONG');
  draft.state = known;
  for (const { location, edges } of found) {
    const edge = passable(draft, location, edges);
    if (!edge) continue;
    take(draft, location, edge);
    return null;
  }
  return refused('CONDITION');
}

/** The answer of an external service; STALE where it is late: its node was left (F18). Data for which there is no room are not kept. */
export function answer(draft: Draft, { call, value, data }: Extract<FlowEvent, { readonly type: 'result' }>): Refusal | null {
  const location = leaves(draft.flow, draft.state).find(({ position }) => position.call === call);
  if (draft.state.done || !location || location.node.type !== 'external') return refuse('STALE', 'STALE');
  const { saveAs, id } = location.node;
  if (value === 'success' && data !== undefined && saveAs !== undefined)
    draft.state = withData(draft.state, { [saveAs]: data }) ?? draft.state;
  draft.state = withMove(draft.state, draft.at);
  const edge = passable(draft, location, edgesOn(location, { type: 'result', value }));
  const { call: _, answeredAt: _came, ...answered } = location.position;
  if (edge) take(draft, location, edge);
  else {
    setPosition(draft, answered);
    draft.effects.push({ type: 'alert', nodeId: id, code: 'RESULT_UNCONNECTED', at: draft.at });
  }
  return null;
}
