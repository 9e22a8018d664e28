/** The mails of a store about its approval requests: one at once, later ones together, ten minutes apart. */
import { sendGap } from '../invitations/rules.ts';
import type { CallOf, ContentOf, Decision, OutcomeOf } from '../kernel/messages.ts';
import { korean } from '../kernel/time.ts';
import { NOTICE_GAP_MS } from './rules.ts';

/** A store's notices take no commands; filing a request wakes their run. */
export interface ApprovalNoticeMessages {
  readonly commands: object;
  readonly calls: {
    /**
     * Mails one person the requests of a round that they could approve now: SENT, SKIPPED (none is left), REFUSED (for good) or UNSENT (try
     * again).
     */
    readonly sendApprovalNotice: {
      readonly input: { readonly round: number; readonly userId: string; readonly attempt: number; readonly at: number };
      readonly outcome: { readonly result: 'SENT' | 'SKIPPED' | 'REFUSED' | 'UNSENT' };
    };
  };
}
/** A mail that has not gone yet. */
export interface PendingMail {
  readonly round: number;
  readonly userId: string;
  /** Finished tries. */
  readonly attempts: number;
  /** Business milliseconds. */
  readonly nextAt: number;
}
/** Times are business milliseconds. */
export interface NoticeState {
  readonly storeId: string;
  /** When the last round went out; null: none yet. */
  readonly lastAt: number | null;
  readonly round: number;
  readonly mails: readonly PendingMail[];
}
/** What waits to be mailed when the event comes. */
export interface Unnoticed {
  /** Requests are PENDING and in no round yet. */
  readonly isAny: boolean;
  /** Who could approve at least one of them. */
  readonly userIds: readonly string[];
}
export type NoticeEvent =
  | { readonly type: 'load' | 'elapsed' }
  | { readonly type: 'command'; readonly command: ContentOf<ApprovalNoticeMessages['commands']> }
  | { readonly type: 'outcome'; readonly callId: string; readonly outcome: OutcomeOf<ApprovalNoticeMessages['calls']> };
/** Puts all waiting requests into the new round. */
export interface NoticeEffect {
  readonly type: 'openRound';
  readonly round: number;
}
export type NoticeDecision = Decision<NoticeState, NoticeEffect, CallOf<ApprovalNoticeMessages['calls']>>;

/** The next state, effects and plan. `at`: business milliseconds. It refuses nothing. */
export function decideNotice(current: NoticeState, waiting: Unnoticed, event: NoticeEvent, at: number): NoticeDecision {
  const ended = event.type === 'outcome' ? endTry(current, event.callId, event.outcome, at) : current;
  const isDue = waiting.isAny && dueAt(ended, at) <= at;
  const state = isDue ? openRound(ended, waiting.userIds, at) : ended;
  const next = waiting.isAny && !isDue ? dueAt(state, at) : null;
  return { state, effects: isDue ? [{ type: 'openRound', round: state.round }] : [], plan: planOf(state, next, at) };
}

const dueAt = ({ lastAt }: NoticeState, at: number): number => (lastAt === null ? at : lastAt + NOTICE_GAP_MS);

/** A round that nobody could approve mails nobody, and delays nothing. */
const openRound = (state: NoticeState, userIds: readonly string[], at: number): NoticeState => ({
  ...state,
  round: state.round + 1,
  lastAt: userIds.length > 0 ? at : state.lastAt,
  mails: [...state.mails, ...userIds.map((userId) => ({ round: state.round + 1, userId, attempts: 0, nextAt: at }))],
});

const callIdOf = ({ storeId }: NoticeState, { round, userId, attempts }: PendingMail) => `${storeId}-${round}-${userId}-${attempts + 1}`;

/** A mail that has gone, has nothing left to say, was refused or was tried four times is over; a lost call counts as a failed try. */
function endTry(state: NoticeState, callId: string, { result }: OutcomeOf<ApprovalNoticeMessages['calls']>, at: number): NoticeState {
  const mails = state.mails.flatMap((mail) => {
    if (callIdOf(state, mail) !== callId) return [mail];
    const attempts = mail.attempts + 1;
    const gap = result === 'UNSENT' || result === 'LOST' ? sendGap(attempts) : null;
    return gap === null ? [] : [{ ...mail, attempts, nextAt: at + gap }];
  });
  return { ...state, mails };
}

function planOf(state: NoticeState, nextRoundAt: number | null, at: number): NoticeDecision['plan'] {
  const { storeId, mails } = state;
  const times = [...mails.map(({ nextAt }) => nextAt), ...(nextRoundAt === null ? [] : [nextRoundAt])];
  if (times.length === 0) return { wakeAt: null, calls: [], done: true, note: 'Every request was mailed.', status: 'QUIET' };
  const calls = mails
    .filter(({ nextAt }) => nextAt <= at)
    .map((mail) => {
      const input = { round: mail.round, userId: mail.userId, attempt: mail.attempts + 1, at };
      return { id: callIdOf(state, mail), name: 'sendApprovalNotice', storeId, input } as const;
    });
  const wakeAt = Math.min(...times);
  return { wakeAt, calls, done: false, note: `${mails.length} mails to send; next at ${korean(wakeAt)}.`, status: 'MAILING' };
}
