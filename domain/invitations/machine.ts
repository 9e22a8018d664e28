/** An invitation: its mail, the seven days of its link, and what people decide. */
import { type ErrorCode, Fault } from '../kernel/errors.ts';
import type { CallOf, ContentOf, Decision, OutcomeOf } from '../kernel/messages.ts';
import { korean } from '../kernel/time.ts';
import { type InvitationStatus, LINK_MS, sendGap } from './rules.ts';

/** The commands of an invitation's run, its calls and their outcomes. */
export interface InvitationMessages {
  readonly commands: {
    readonly resend: { readonly userId: string };
    readonly cancel: { readonly userId: string };
    /** `sendNo`: the number of the link that was followed; a resend invalidates earlier ones. */
    readonly accept: { readonly userId: string; readonly sendNo: number };
  };
  readonly calls: {
    /** Sends the mail of link `sendNo`: SENT, REFUSED (for good) or UNSENT (try again), with a code. */
    readonly sendInvitation: {
      readonly input: { readonly invitationId: string; readonly sendNo: number; readonly attempt: number };
      readonly outcome: { readonly result: 'SENT' | 'REFUSED' | 'UNSENT'; readonly code?: string };
    };
  };
}

/** The status after each command; a command that is not listed is refused. A PENDING invitation expires by time, before any event. */
export const COMMANDS: Readonly<Record<InvitationStatus, Readonly<Partial<Record<InvitationCommand['name'], InvitationStatus>>>>> = {
  PENDING: { resend: 'PENDING', cancel: 'CANCELED', accept: 'ACCEPTED' },
  EXPIRED: { resend: 'PENDING' },
  ACCEPTED: {},
  CANCELED: {},
};
const REFUSALS: Readonly<Record<InvitationCommand['name'], ErrorCode>> = {
  resend: 'INVITATION_NOT_PENDING',
  cancel: 'INVITATION_NOT_PENDING',
  // An invalid link does not reveal whether its invitation exists.
  accept: 'INVITATION_NOT_FOUND',
};

/** The fields of an invitation that decisions depend on. Times are business milliseconds. */
export interface InvitationState {
  readonly storeId: string;
  readonly invitationId: string;
  readonly status: InvitationStatus;
  /** The number of the current link, from 1; a resend invalidates the previous one. */
  readonly sendNo: number;
  /** Finished send attempts of the current link's mail. */
  readonly sendAttempts: number;
  /** When the next send attempt is due; null: none. */
  readonly nextSendAt: number | null;
  readonly expiresAt: number;
  /** Of the current link's mail; null while it is being sent. */
  readonly deliveryStatus: 'SENT' | 'FAILED' | null;
  readonly deliveryErrorCode: string | null;
}
export type InvitationCommand = ContentOf<InvitationMessages['commands']>;
type MailOutcome = OutcomeOf<InvitationMessages['calls']>;
export type InvitationEvent =
  | { readonly type: 'load' | 'elapsed' }
  | { readonly type: 'command'; readonly command: InvitationCommand }
  | { readonly type: 'outcome'; readonly callId: string; readonly outcome: MailOutcome };

/** What the transaction does before it writes the state, in this order. All but `newLink` may be refused with a Fault. */
export type InvitationEffect =
  /** Refuses with INVITATION_PENDING when the address has another pending invitation. */
  | { readonly type: 'refuseAnother' }
  /** Counts a mail against the limits of store, sender and recipient; refuses with TOO_MANY_REQUESTS. */
  | { readonly type: 'countSend'; readonly userId: string }
  /** Generates the token of a new link. */
  | { readonly type: 'newLink' }
  /** Adds the person as a member; refuses with ALREADY_MEMBER. */
  | { readonly type: 'join'; readonly userId: string };

export type InvitationDecision = Decision<InvitationState, InvitationEffect, CallOf<InvitationMessages['calls']>>;
type Step = Omit<InvitationDecision, 'plan'>;

/** A new invitation: its first link is valid for seven days, and its mail is due at once. */
export const newInvitation = (ids: Pick<InvitationState, 'storeId' | 'invitationId'>, at: number): InvitationState => ({
  storeId: ids.storeId,
  invitationId: ids.invitationId,
  status: 'PENDING',
  sendNo: 1,
  ...freshLink(at),
});
const freshLink = (at: number) =>
  ({ sendAttempts: 0, nextSendAt: at, expiresAt: at + LINK_MS, deliveryStatus: null, deliveryErrorCode: null }) as const;

/** The next state, effects and plan. `at`: business milliseconds. Refusals are Faults: INVITATION_NOT_PENDING, INVITATION_NOT_FOUND. */
export function decide(current: InvitationState, event: InvitationEvent, at: number): InvitationDecision {
  const { state, effects } = step(expire(current, at), event, at);
  return { state, effects, plan: planOf(state, at) };
}

/**
 * The status after a command; Faults as `decide`. The API's early refusal calls it too, with a row that may not show yet that the link has
 * expired.
 */
export function checkCommand({ status, sendNo }: Pick<InvitationState, 'status' | 'sendNo'>, command: InvitationCommand): InvitationStatus {
  const next = COMMANDS[status][command.name];
  if (!next || (command.name === 'accept' && command.input.sendNo !== sendNo)) throw new Fault(REFUSALS[command.name]);
  return next;
}

const expire = (state: InvitationState, at: number): InvitationState =>
  state.status === 'PENDING' && state.expiresAt <= at ? { ...state, status: 'EXPIRED' } : state;

function step(state: InvitationState, event: InvitationEvent, at: number): Step {
  switch (event.type) {
    case 'load':
    case 'elapsed':
      return { state, effects: [] };
    case 'command':
      return carryOut(state, event.command, at);
    case 'outcome':
      // Also the outcome of a mail that was being sent when the invitation ended.
      return { state: event.callId === callIdOf(state) ? endTry(state, event.outcome, at) : state, effects: [] };
    default:
      return event satisfies never;
  }
}

function carryOut(state: InvitationState, command: InvitationCommand, at: number): Step {
  const status = checkCommand(state, command);
  if (command.name === 'cancel') return { state: { ...state, status, nextSendAt: null }, effects: [] };
  const { userId } = command.input;
  if (command.name === 'accept') return { state: { ...state, status, nextSendAt: null }, effects: [{ type: 'join', userId }] };
  const revived: readonly InvitationEffect[] = state.status === 'EXPIRED' ? [{ type: 'refuseAnother' }] : [];
  return {
    state: { ...state, ...freshLink(at), status, sendNo: state.sendNo + 1 },
    effects: [...revived, { type: 'countSend', userId }, { type: 'newLink' }],
  };
}

/** Ends a send attempt: SENT, FAILED for good, or retried after a gap; a lost call counts as a failed attempt. */
function endTry(state: InvitationState, outcome: MailOutcome, at: number): InvitationState {
  const tried = { ...state, sendAttempts: state.sendAttempts + 1, nextSendAt: null };
  if (outcome.result === 'SENT') return { ...tried, deliveryStatus: 'SENT', deliveryErrorCode: null };
  const gap = outcome.result === 'REFUSED' ? null : sendGap(tried.sendAttempts);
  if (gap !== null) return { ...tried, nextSendAt: at + gap };
  const code = outcome.result === 'LOST' ? undefined : outcome.code;
  return { ...tried, deliveryStatus: 'FAILED', deliveryErrorCode: code ?? 'NO_ANSWER' };
}

const callIdOf = ({ invitationId, sendNo, sendAttempts }: InvitationState) => `${invitationId}-${sendNo}-${sendAttempts + 1}`;

/** The next send attempt, now or later; then the expiry of the link. */
function planOf(state: InvitationState, at: number): InvitationDecision['plan'] {
  const { storeId, invitationId, status, sendNo, nextSendAt: sends, expiresAt: expires } = state;
  if (status !== 'PENDING') return { wakeAt: null, calls: [], done: true, note: `Finished: ${status}.`, status };
  const attempt = state.sendAttempts + 1;
  const call = { id: callIdOf(state), name: 'sendInvitation', storeId, input: { invitationId, sendNo, attempt } } as const;
  const note = sends === null ? `Waits for the recipient until ${korean(expires)}.` : `Mail ${sendNo}, try ${attempt} at ${korean(sends)}.`;
  return { wakeAt: Math.min(expires, sends ?? expires), calls: sends !== null && sends <= at ? [call] : [], done: false, note, status };
}
