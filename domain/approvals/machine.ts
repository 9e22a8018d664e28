/** An approval request: decided by a person within 24 hours on what it would do, then carried out once (G51). */
import type { Role } from '../identity/rules.ts';
import { type ErrorCode, Fault } from '../kernel/errors.ts';
import type { CallOf, ContentOf, Decision, OutcomeOf } from '../kernel/messages.ts';
import { korean } from '../kernel/time.ts';
import {
  type Verdict,
  type ApprovalStatus,
  type ApproverNeeds,
  type DecisionChannel,
  executionGap,
  isDecided,
  SEARCH_MS,
  searchGap,
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
/** Approving: of what was shown. */
interface Approving extends Decider {
  /** Of the preview that the decision is about; absent: from an API of an earlier version. */
  readonly previewDigest?: string;
}
interface ExecutionCall {
  /** `clock`: how far the store's clock was ahead when it was planned, in milliseconds. */
  readonly input: { readonly approvalId: string; readonly attempt: number; readonly at: number; readonly clock?: number };
  /** DONE: the one answer that the execution of this round has, whichever try made it. UNKNOWN: it may have one. */
  readonly outcome:
    | { readonly result: 'DONE'; readonly status: number; readonly code: string; readonly round?: number }
    | { readonly result: 'UNKNOWN' };
}
/** The commands of an approval request's run, its calls and their outcomes. */
export interface ApprovalMessages {
  readonly commands: { readonly approve: Approving; readonly reject: Decider };
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

/** When something happens. `at`: business milliseconds; `real`: the same without the store's clock, which a sandbox moves. */
export interface Times {
  readonly at: number;
  readonly real: number;
}
/** The fields of an approval request that decisions depend on. Times are business milliseconds. */
export interface ApprovalState extends ApproverNeeds {
  readonly storeId: string;
  readonly approvalId: string;
  readonly status: ApprovalStatus;
  readonly expiresAt: number;
  /** Of the preview that is shown. */
  readonly previewDigest: string;
  /**
   * How often an execution found that it would do something else than what was approved. Each approval's execution has a round of its own.
   */
  readonly round: number;
  /** When it was approved; null before. */
  readonly executingSince: number | null;
  /** The same in real milliseconds: tries and look-ups are counted by it, so that no sandbox clock ends them. */
  readonly executingReal: number | null;
  /** Finished tries to carry it out, look-ups included. */
  readonly attempts: number;
  /** When the next try is due; null: none. */
  readonly nextAttemptAt: number | null;
  /** The answer of the execution; null: none yet. */
  readonly result: { readonly status: number; readonly code: string } | null;
}
/** What the transaction does before it writes the state. */
export type ApprovalEffect =
  | { readonly type: 'recordDecision'; readonly decision: Verdict; readonly by: Decider }
  /** Nothing was done: it waits for a decision on the new preview. */
  | { readonly type: 'withdrawDecision' };
export type ApprovalDecision = Decision<ApprovalState, ApprovalEffect, ApprovalCall>;
type Step = Omit<ApprovalDecision, 'plan'>;

const STALE: ErrorCode = 'APPROVAL_STALE';
/** The status after each command of a PENDING request. */
const COMMANDS = { approve: 'EXECUTING', reject: 'REJECTED' } as const satisfies Record<ApprovalCommand['name'], ApprovalStatus>;

/**
 * The next state, effects and plan. Refusals are Faults: INSUFFICIENT_ROLE, INSUFFICIENT_SCOPE, APPROVAL_EXPIRED, APPROVAL_NOT_PENDING,
 * APPROVAL_STALE.
 */
export function decide(current: ApprovalState, event: ApprovalEvent, times: Times): ApprovalDecision {
  const { state, effects } = step(current, event, times);
  return { state, effects, plan: planOf(state, times) };
}

/**
 * Whether a command is allowed: role and scopes first (G23), then the request's own state. The API's early refusal calls it too.
 * INSUFFICIENT_ROLE, INSUFFICIENT_SCOPE, APPROVAL_EXPIRED, APPROVAL_NOT_PENDING with the status, APPROVAL_STALE without its details, which
 * stay in Postgres.
 */
export function checkCommand(
  { status, expiresAt, approverRole, requiredScopes, previewDigest }: Pick<ApprovalState, DecisionField>,
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
  const decidedOn = name === 'approve' ? input.previewDigest : undefined;
  if (decidedOn !== undefined && decidedOn !== previewDigest) throw new Fault('APPROVAL_STALE');
}
type DecisionField = 'status' | 'expiresAt' | 'previewDigest' | keyof ApproverNeeds;

function step(current: ApprovalState, event: ApprovalEvent, times: Times): Step {
  if (event.type === 'command') return carryOut(current, event.command, times);
  if (event.type === 'outcome' && isStale(current, event.outcome)) return showAnew(current, times);
  const state = { ...current, status: shownStatus(current.status, current.expiresAt, times.at) };
  return { state: event.type === 'outcome' ? endTry(state, event, times) : state, effects: [] };
}

/** The execution of this round would have done something else than what was approved, and did nothing. */
const isStale = ({ round, executingSince, result }: ApprovalState, outcome: ExecutionOutcome): boolean =>
  executingSince !== null && result === null && outcome.result === 'DONE' && outcome.code === STALE && (outcome.round ?? 0) === round;

function showAnew(current: ApprovalState, { at }: Times): Step {
  const { round, attempts, expiresAt } = current;
  const waiting = { executingSince: null, executingReal: null, nextAttemptAt: null, attempts: attempts + 1, round: round + 1 };
  return {
    state: { ...current, ...waiting, status: shownStatus('PENDING', expiresAt, at) },
    effects: [{ type: 'withdrawDecision' }],
  };
}

function carryOut(state: ApprovalState, command: ApprovalCommand, { at, real }: Times): Step {
  checkCommand(state, command, at);
  const isApproved = command.name === 'approve';
  const executing = isApproved ? { executingSince: at, executingReal: real, nextAttemptAt: at } : {};
  return {
    state: { ...state, ...executing, status: COMMANDS[command.name] },
    effects: [{ type: 'recordDecision', decision: isApproved ? 'APPROVE' : 'REJECT', by: command.input }],
  };
}

/**
 * An answer is the answer, whichever call brings it. A try without one is followed by the next; from a minute after the approval on it is
 * only looked up, and without an answer the request is UNKNOWN and looked up for a day.
 */
function endTry(state: ApprovalState, { callId, outcome }: Ended, times: Times): ApprovalState {
  if (state.executingReal === null || state.result !== null) return state;
  if (outcome.result === 'DONE') {
    // Of an earlier round, in which nothing was done.
    if ((outcome.round ?? 0) !== state.round) return state;
    const status = outcome.status >= 200 && outcome.status < 300 ? 'SUCCEEDED' : 'FAILED';
    return { ...state, status, attempts: state.attempts + 1, nextAttemptAt: null, result: { status: outcome.status, code: outcome.code } };
  }
  // Of an earlier call, which another one has replaced.
  if (state.nextAttemptAt === null || callId !== callOf(state, times).id) return state;
  const tried = { ...state, attempts: state.attempts + 1 };
  const { at, real } = times;
  const passed = real - state.executingReal;
  if (passed < RETRY_MS) return { ...tried, nextAttemptAt: at + executionGap(tried.attempts) };
  return { ...tried, status: 'UNKNOWN', nextAttemptAt: passed < SEARCH_MS ? at + searchGap(passed) : null };
}

type Ended = Extract<ApprovalEvent, { readonly type: 'outcome' }>;

/** The call that is due: the execution, and from a minute after the approval on its look-up. A call that is planned again keeps its id. */
function callOf({ storeId, approvalId, attempts, executingReal }: ApprovalState, { at, real }: Times): ApprovalCall {
  const attempt = attempts + 1;
  const name = real - (executingReal ?? real) < RETRY_MS ? 'execute' : 'findExecution';
  return { id: `${approvalId}-${name}-${attempt}`, name, storeId, input: { approvalId, attempt, at, clock: at - real } };
}

function planOf(state: ApprovalState, times: Times): ApprovalDecision['plan'] {
  const { at } = times;
  const { status, expiresAt, nextAttemptAt: next } = state;
  if (status === 'PENDING')
    return { wakeAt: expiresAt, calls: [], done: false, note: `Waits for a decision until ${korean(expiresAt)}.`, status };
  if (isDecided(status) && next === null) return { wakeAt: null, calls: [], done: true, note: `Finished: ${status}.`, status };
  const due = callOf(state, times);
  const note = `${due.name}, try ${due.input.attempt} at ${korean(next ?? at)}.`;
  const isPollOnly = status === 'UNKNOWN';
  return { wakeAt: next, calls: next !== null && next <= at ? [due] : [], isPollOnly, done: false, note, status };
}
