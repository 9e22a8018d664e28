/** An invitation: its mail, the seven days of its link, and what people decide (D67). */
import { type ErrorCode, Fault } from '../kernel/errors.ts';
import type { CallOf, ContentOf, Decision, OutcomeOf } from '../kernel/messages.ts';
import { korean } from '../kernel/time.ts';
import type { InvitationMessages } from './messages.ts';
import { type InvitationStatus, LINK_MS, sendGap } from './rules.ts';

/** Where a command leads; what is not here is refused. Time alone makes a PENDING invitation EXPIRED, before any event. */
export const COMMANDS: Readonly<Record<InvitationStatus, Readonly<Partial<Record<InvitationCommand['name'], InvitationStatus>>>>> = {
  PENDING: { resend: 'PENDING', cancel: 'CANCELED', accept: 'ACCEPTED' },
  EXPIRED: { resend: 'PENDING' },
  ACCEPTED: {},
  CANCELED: {},
};
const REFUSALS: Readonly<Record<InvitationCommand['name'], ErrorCode>> = {
  resend: 'INVITATION_NOT_PENDING',
  cancel: 'INVITATION_NOT_PENDING',
  // A dead link says nothing about whose it was (D67).
  accept: 'INVITATION_NOT_FOUND',
};

/** What of an invitation decides. Times are business milliseconds. */
export interface InvitationState {
  readonly storeId: string;
  readonly invitationId: string;
  readonly status: InvitationStatus;
  /** Counts the links from 1: a resend makes the one before it dead. */
  readonly sendNo: number;
  /** Tries of the present link's mail that have ended. */
  readonly sendAttempts: number;
  /** When the next try is due; null: none. */
  readonly nextSendAt: number | null;
  readonly expiresAt: number;
  /** Of the present link's mail; null while it is tried. */
  readonly deliveryStatus: 'SENT' | 'FAILED' | null;
  readonly deliveryErrorCode: string | null;
}
export type InvitationCommand = ContentOf<InvitationMessages['commands']>;
type MailOutcome = OutcomeOf<InvitationMessages['calls']>;
export type InvitationEvent =
  | { readonly type: 'load' | 'elapsed' }
  | { readonly type: 'command'; readonly command: InvitationCommand }
  | { readonly type: 'outcome'; readonly callId: string; readonly outcome: MailOutcome };

/** What the transaction does before it writes the state, in this order. All but `newLink` may refuse. */
export type InvitationEffect =
  /** INVITATION_PENDING when the address has been invited anew since this invitation expired. */
  | { readonly type: 'refuseAnother' }
  /** Counts a mail against the limits of store, sender and recipient, or TOO_MANY_REQUESTS. */
  | { readonly type: 'countSend'; readonly userId: string }
  /** The secret of a new link. */
  | { readonly type: 'newLink' }
  /** Makes the person a member, or ALREADY_MEMBER. */
  | { readonly type: 'join'; readonly userId: string };

export type InvitationDecision = Decision<InvitationState, InvitationEffect, CallOf<InvitationMessages['calls']>>;
type Step = Omit<InvitationDecision, 'plan'>;

/** A new invitation: its first link counts for seven days, and its mail is due at once. */
export const newInvitation = (ids: Pick<InvitationState, 'storeId' | 'invitationId'>, at: number): InvitationState => ({
  storeId: ids.storeId,
  invitationId: ids.invitationId,
  status: 'PENDING',
  sendNo: 1,
  ...freshLink(at),
});
const freshLink = (at: number) =>
  ({ sendAttempts: 0, nextSendAt: at, expiresAt: at + LINK_MS, deliveryStatus: null, deliveryErrorCode: null }) as const;

/** What an event means. `at`: business milliseconds. Refusals are Faults: INVITATION_NOT_PENDING, INVITATION_NOT_FOUND. */
export function decide(current: InvitationState, event: InvitationEvent, at: number): InvitationDecision {
  const { state, effects } = step(expire(current, at), event, at);
  return { state, effects, plan: planOf(state, at) };
}

/** The status that a command leads to; Faults as `decide`. For an early refusal too, which may not know that a link has just expired. */
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
      // Of a mail that was on its way when the invitation ended, too.
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

/** The mail has gone, can never go, or is tried again; a call that never answered is a try that did not go. */
function endTry(state: InvitationState, outcome: MailOutcome, at: number): InvitationState {
  const tried = { ...state, sendAttempts: state.sendAttempts + 1, nextSendAt: null };
  if (outcome.result === 'SENT') return { ...tried, deliveryStatus: 'SENT', deliveryErrorCode: null };
  const gap = outcome.result === 'REFUSED' ? null : sendGap(tried.sendAttempts);
  if (gap !== null) return { ...tried, nextSendAt: at + gap };
  const code = outcome.result === 'LOST' ? undefined : outcome.code;
  return { ...tried, deliveryStatus: 'FAILED', deliveryErrorCode: code ?? 'NO_ANSWER' };
}

const callIdOf = ({ invitationId, sendNo, sendAttempts }: InvitationState) => `${invitationId}-${sendNo}-${sendAttempts + 1}`;

/** The mail now or later, then the end of the link's days. */
function planOf(state: InvitationState, at: number): InvitationDecision['plan'] {
  const { storeId, invitationId, status, sendNo, nextSendAt: sends, expiresAt: expires } = state;
  if (status !== 'PENDING') return { wakeAt: null, calls: [], done: true, note: `Finished: ${status}.`, status };
  const attempt = state.sendAttempts + 1;
  const call = { id: callIdOf(state), name: 'sendInvitation', storeId, input: { invitationId, sendNo, attempt } } as const;
  const note = sends === null ? `Waits for the recipient until ${korean(expires)}.` : `Mail ${sendNo}, try ${attempt} at ${korean(sends)}.`;
  return { wakeAt: Math.min(expires, sends ?? expires), calls: sends !== null && sends <= at ? [call] : [], done: false, note, status };
}
