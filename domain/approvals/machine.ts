/** An approval request: decided once by a person within 24 hours, then carried out once (G18–G29). */
import type { Role } from '../identity/rules.ts';
import { Fault } from '../kernel/errors.ts';
import type { CallOf, ContentOf, Decision, OutcomeOf } from '../kernel/messages.ts';
import { korean } from '../kernel/time.ts';
import {
  type Verdict,
  type ApprovalStatus,
  type ApproverNeeds,
  type DecisionChannel,
  executionGap,
  isDecided,
  LOOK_UP_MS,
  lookUpGap,
  mayApproveAs,
  missingScopes,
  RETRY_MS,
  shownStatus,
} from './rules.ts';

/** Who decides: a person with the role and the scopes that they have at that moment. */
export interface Decider {
  readonly userId: string;
  readonly role: Role;
  readonly scopes: readonly string[];
  readonly via: DecisionChannel;
  /** The person's note, stored in Postgres. */
  readonly noteId?: string;
}
interface ExecutionCall {
  readonly input: { readonly approvalId: string; readonly attempt: number; readonly at: number };
  /** DONE: the one answer that the execution has, whichever try made it. UNKNOWN: it may have one. */
  readonly outcome: { readonly result: 'DONE'; readonly status: number; readonly code: string } | { readonly result: 'UNKNOWN' };
}
/** The commands of an approval request's run, its calls and their outcomes. */
export interface ApprovalMessages {
  readonly commands: { readonly approve: Decider; readonly reject: Decider };
  readonly calls: {
    /** Carries the request out under a key of its own; a repeat gets the answer of the first. */
    readonly execute: ExecutionCall;
    /** Looks up the answer that a try has stored; runs nothing. */
    readonly findExecution: ExecutionCall;
  };
}
export type ApprovalCommand = ContentOf<ApprovalMessages['commands']>;
export type ApprovalCall = CallOf<ApprovalMessages['calls']>;
type ExecutionOutcome = OutcomeOf<ApprovalMessages['calls']>;
export type ApprovalEvent =
  | { readonly type: 'load' | 'elapsed' }
  | { readonly type: 'command'; readonly command: ApprovalCommand }
  | { readonly type: 'outcome'; readonly callId: string; readonly outcome: ExecutionOutcome };

/** The fields of an approval request that decisions depend on. Times are business milliseconds. */
export interface ApprovalState extends ApproverNeeds {
  readonly storeId: string;
  readonly approvalId: string;
  readonly status: ApprovalStatus;
  readonly expiresAt: number;
  /** When it was approved; null before. */
  readonly executingSince: number | null;
  /** Finished tries to carry it out, look-ups included. */
  readonly attempts: number;
  /** When the next try is due; null: none. */
  readonly nextAttemptAt: number | null;
  /** The answer of the execution; null: none yet. */
  readonly result: { readonly status: number; readonly code: string } | null;
}
/** What the transaction does before it writes the state. */
export interface ApprovalEffect {
  readonly type: 'recordDecision';
  readonly decision: Verdict;
  readonly by: Decider;
}
export type ApprovalDecision = Decision<ApprovalState, ApprovalEffect, ApprovalCall>;
type Step = Omit<ApprovalDecision, 'plan'>;

/** The status after each command of a PENDING request. */
const COMMANDS = { approve: 'EXECUTING', reject: 'REJECTED' } as const satisfies Record<ApprovalCommand['name'], ApprovalStatus>;

/**
 * The next state, effects and plan. `at`: business milliseconds. Refusals are Faults: INSUFFICIENT_ROLE, INSUFFICIENT_SCOPE,
 * APPROVAL_EXPIRED, APPROVAL_NOT_PENDING.
 */
export function decide(current: ApprovalState, event: ApprovalEvent, at: number): ApprovalDecision {
  const { state, effects } = step(current, event, at);
  return { state, effects, plan: planOf(state, at) };
}

/**
 * Whether a command is allowed: role and scopes first (G23), then the request's own state (G24). The API's early refusal calls it too.
 * INSUFFICIENT_ROLE, INSUFFICIENT_SCOPE, APPROVAL_EXPIRED, APPROVAL_NOT_PENDING with the status.
 */
export function checkCommand(
  { status, expiresAt, approverRole, requiredScopes }: Pick<ApprovalState, 'status' | 'expiresAt' | keyof ApproverNeeds>,
  { name, input }: ApprovalCommand,
  at: number,
): void {
  // Anybody who may decide at all may reject, also what only the OWNER may approve.
  if (!mayApproveAs(input.role, name === 'approve' ? approverRole : 'ADMIN')) throw new Fault('INSUFFICIENT_ROLE');
  const missing = name === 'approve' ? missingScopes(input.scopes, requiredScopes) : [];
  if (missing.length > 0) throw new Fault('INSUFFICIENT_SCOPE', { details: { required: missing } });
  const shown = shownStatus(status, expiresAt, at);
  if (shown === 'EXPIRED') throw new Fault('APPROVAL_EXPIRED');
  if (shown !== 'PENDING') throw new Fault('APPROVAL_NOT_PENDING', { details: { status: shown } });
}

function step(current: ApprovalState, event: ApprovalEvent, at: number): Step {
  if (event.type === 'command') return carryOut(current, event.command, at);
  const state = { ...current, status: shownStatus(current.status, current.expiresAt, at) };
  return { state: event.type === 'outcome' ? endTry(state, event.callId, event.outcome, at) : state, effects: [] };
}

function carryOut(state: ApprovalState, command: ApprovalCommand, at: number): Step {
  checkCommand(state, command, at);
  const isApproved = command.name === 'approve';
  const executing = isApproved ? { executingSince: at, nextAttemptAt: at } : {};
  return {
    state: { ...state, ...executing, status: COMMANDS[command.name] },
    effects: [{ type: 'recordDecision', decision: isApproved ? 'APPROVE' : 'REJECT', by: command.input }],
  };
}

/**
 * An answer is the answer, whichever call brings it. A try without one is followed by the next; from a minute after the approval on it is
 * only looked up, and without an answer the request is UNKNOWN and looked up for a day.
 */
function endTry(state: ApprovalState, callId: string, outcome: ExecutionOutcome, at: number): ApprovalState {
  if (state.executingSince === null || state.result !== null) return state;
  if (outcome.result === 'DONE') {
    const status = outcome.status >= 200 && outcome.status < 300 ? 'SUCCEEDED' : 'FAILED';
    return { ...state, status, attempts: state.attempts + 1, nextAttemptAt: null, result: { status: outcome.status, code: outcome.code } };
  }
  // Of an earlier call, which another one has replaced.
  if (state.nextAttemptAt === null || callId !== callOf(state, at).id) return state;
  const tried = { ...state, attempts: state.attempts + 1 };
  const passed = at - state.executingSince;
  if (passed < RETRY_MS) return { ...tried, nextAttemptAt: at + executionGap(tried.attempts) };
  return { ...tried, status: 'UNKNOWN', nextAttemptAt: passed < LOOK_UP_MS ? at + lookUpGap(passed) : null };
}

/** The call that is due: the execution, and from a minute after the approval on its look-up. A call that is planned again keeps its id. */
function callOf({ storeId, approvalId, attempts, executingSince }: ApprovalState, at: number): ApprovalCall {
  const attempt = attempts + 1;
  const name = at - (executingSince ?? at) < RETRY_MS ? 'execute' : 'findExecution';
  return { id: `${approvalId}-${name}-${attempt}`, name, storeId, input: { approvalId, attempt, at } };
}

function planOf(state: ApprovalState, at: number): ApprovalDecision['plan'] {
  const { status, expiresAt, nextAttemptAt: next } = state;
  if (status === 'PENDING')
    return { wakeAt: expiresAt, calls: [], done: false, note: `Waits for a decision until ${korean(expiresAt)}.`, status };
  if (isDecided(status) && next === null) return { wakeAt: null, calls: [], done: true, note: `Finished: ${status}.`, status };
  const due = callOf(state, at);
  const note = `${due.name}, try ${due.input.attempt} at ${korean(next ?? at)}.`;
  const isPollOnly = status === 'UNKNOWN';
  return { wakeAt: next, calls: next !== null && next <= at ? [due] : [], isPollOnly, done: false, note, status };
}
