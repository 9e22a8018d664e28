/** The invitation's machine, without a database: each state with each event, and what no sequence of events can do. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  checkCommand,
  COMMANDS,
  decide,
  type InvitationCommand,
  type InvitationEffect,
  type InvitationEvent,
  type InvitationState,
  newInvitation,
} from '../../../domain/invitations/machine.ts';
import { INVITATION_STATUSES, type InvitationStatus, LINK_MS } from '../../../domain/invitations/rules.ts';
import { Fault } from '../../../domain/kernel/errors.ts';
import { korean, MINUTE, SECOND } from '../../../domain/kernel/time.ts';

const T = Date.UTC(2026, 10, 20);
const created = newInvitation({ storeId: 'sto', invitationId: 'inv' }, T);
/** Each state as it comes about: the mail of link 1 went at the first try. */
const sent: InvitationState = { ...created, sendAttempts: 1, nextSendAt: null, deliveryStatus: 'SENT' };
const states: Readonly<Record<InvitationStatus, InvitationState>> = {
  PENDING: sent,
  EXPIRED: { ...sent, status: 'EXPIRED', expiresAt: T },
  ACCEPTED: { ...sent, status: 'ACCEPTED' },
  CANCELED: { ...sent, status: 'CANCELED' },
};
const resend: InvitationCommand = { name: 'resend', input: { userId: 'usr' } };
const cancel: InvitationCommand = { name: 'cancel', input: { userId: 'usr' } };
const accept: InvitationCommand = { name: 'accept', input: { userId: 'usr', sendNo: 1 } };
const commanded = (command: InvitationCommand): InvitationEvent => ({ type: 'command', command });
type MailOutcome = Extract<InvitationEvent, { type: 'outcome' }>['outcome'];
const mail = (outcome: MailOutcome, callId = 'inv-1-1'): InvitationEvent => ({ type: 'outcome', callId, outcome });
const elapsed: InvitationEvent = { type: 'elapsed' };
const refusalOf = (work: () => unknown): string | null => {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
};
const FRESH = { sendNo: 2, sendAttempts: 0, nextSendAt: T + 5, expiresAt: T + 5 + LINK_MS, deliveryStatus: null, deliveryErrorCode: null };
const counted: readonly InvitationEffect[] = [{ type: 'countSend', userId: 'usr' }, { type: 'newLink' }];

describe('commands', () => {
  type Expected = readonly [state: Partial<InvitationState>, effects: readonly InvitationEffect[]] | string;
  test.each<[InvitationStatus, InvitationCommand, Expected]>([
    ['PENDING', resend, [FRESH, counted]],
    ['PENDING', cancel, [{ status: 'CANCELED' }, []]],
    ['PENDING', accept, [{ status: 'ACCEPTED' }, [{ type: 'join', userId: 'usr' }]]],
    ['EXPIRED', resend, [{ ...FRESH, status: 'PENDING' }, [{ type: 'refuseAnother' }, ...counted]]],
    ['EXPIRED', cancel, 'INVITATION_NOT_PENDING'],
    ['EXPIRED', accept, 'INVITATION_NOT_FOUND'],
    ['ACCEPTED', resend, 'INVITATION_NOT_PENDING'],
    ['ACCEPTED', cancel, 'INVITATION_NOT_PENDING'],
    ['ACCEPTED', accept, 'INVITATION_NOT_FOUND'],
    ['CANCELED', resend, 'INVITATION_NOT_PENDING'],
    ['CANCELED', cancel, 'INVITATION_NOT_PENDING'],
    ['CANCELED', accept, 'INVITATION_NOT_FOUND'],
  ])('%s, %j', (status, command, expected) => {
    const before = states[status];
    const work = () => decide(before, commanded(command), T + 5);
    expect(refusalOf(() => checkCommand(before, command))).toBe(typeof expected === 'string' ? expected : null);
    if (typeof expected === 'string') return expect(refusalOf(work)).toBe(expected);
    const [changes, effects] = expected;
    expect(work()).toMatchObject({ state: { ...before, ...changes }, effects });
    expect(COMMANDS[status][command.name]).toBe(work().state.status);
  });

  test('a link that a resend has made dead is not accepted', () => {
    const { state } = decide(sent, commanded(resend), T + 5);
    expect(refusalOf(() => decide(state, commanded(accept), T + 6))).toBe('INVITATION_NOT_FOUND');
    const second = { ...accept, input: { userId: 'usr', sendNo: 2 } };
    expect(decide(state, commanded(second), T + 6).state.status).toBe('ACCEPTED');
  });
  test('a mail that is due is not sent once it is canceled or accepted', () => {
    for (const command of [cancel, accept]) {
      const { state, plan } = decide(created, commanded(command), T);
      expect([state.nextSendAt, plan]).toEqual([
        null,
        { wakeAt: null, calls: [], done: true, note: `Finished: ${state.status}.`, status: state.status },
      ]);
    }
  });
  test('the last day is over before any event: at its very millisecond the link is dead, and a resend revives it', () => {
    expect(decide(sent, commanded(accept), sent.expiresAt - 1).state.status).toBe('ACCEPTED');
    expect(refusalOf(() => decide(sent, commanded(accept), sent.expiresAt))).toBe('INVITATION_NOT_FOUND');
    expect(refusalOf(() => decide(sent, commanded(cancel), sent.expiresAt))).toBe('INVITATION_NOT_PENDING');
    expect(decide(sent, commanded(resend), sent.expiresAt).effects[0]).toEqual({ type: 'refuseAnother' });
  });
});

describe('time', () => {
  test.each(['load', 'elapsed'] as const)('%s changes nothing but what the last day ends', (type) => {
    for (const status of INVITATION_STATUSES) {
      const { state, effects } = decide(states[status], { type }, T + 5);
      expect([state, effects]).toEqual([states[status], []]);
      expect(decide(states[status], { type }, sent.expiresAt).state.status).toBe(status === 'PENDING' ? 'EXPIRED' : status);
    }
  });
});

describe('the mail', () => {
  test.each<[string, MailOutcome, Partial<InvitationState>]>([
    ['has gone', { result: 'SENT' }, { nextSendAt: null, deliveryStatus: 'SENT', deliveryErrorCode: null }],
    [
      'can never go',
      { result: 'REFUSED', code: 'SMTP_550' },
      { nextSendAt: null, deliveryStatus: 'FAILED', deliveryErrorCode: 'SMTP_550' },
    ],
    ['may go later', { result: 'UNSENT', code: 'SMTP_421' }, { nextSendAt: T + 5 + 10 * SECOND, deliveryStatus: null }],
    ['was never answered', { result: 'LOST' }, { nextSendAt: T + 5 + 10 * SECOND, deliveryStatus: null }],
  ])('%s', (_, outcome, changes) => {
    for (const status of INVITATION_STATUSES) {
      const before = { ...created, status };
      expect(decide(before, mail(outcome), T + 5)).toMatchObject({ state: { ...before, sendAttempts: 1, ...changes }, effects: [] });
      // Of a link that is dead, or of an earlier try.
      expect(decide({ ...before, sendNo: 2 }, mail(outcome), T + 5).state).toEqual({ ...before, sendNo: 2 });
      expect(decide({ ...before, sendAttempts: 1 }, mail(outcome), T + 5).state).toEqual({ ...before, sendAttempts: 1 });
    }
  });

  test.each<[MailOutcome, string]>([
    [{ result: 'UNSENT', code: 'SMTP_421' }, 'SMTP_421'],
    [{ result: 'UNSENT' }, 'NO_ANSWER'],
    [{ result: 'LOST' }, 'NO_ANSWER'],
  ])('is tried four times, after 10 seconds, 1 and 5 minutes, then given up: %j', (outcome, code) => {
    let state = created;
    const gaps: (number | null)[] = [];
    for (let n = 1; n <= 4; n++) {
      const at = state.nextSendAt!;
      ({ state } = decide(state, mail(outcome, `inv-1-${n}`), at));
      gaps.push(state.nextSendAt && state.nextSendAt - at);
    }
    expect(gaps).toEqual([10 * SECOND, MINUTE, 5 * MINUTE, null]);
    expect(state).toMatchObject({ status: 'PENDING', deliveryStatus: 'FAILED', deliveryErrorCode: code });
  });
});

describe('the plan', () => {
  const call = { id: 'inv-1-1', name: 'sendInvitation', storeId: 'sto', input: { invitationId: 'inv', sendNo: 1, attempt: 1 } };
  const open = { calls: [], done: false, status: 'PENDING' };
  test.each<[string, InvitationState, object]>([
    ['a mail that is due', created, { ...open, wakeAt: T, calls: [call], note: `Mail 1, try 1 at ${korean(T)}.` }],
    [
      'a mail later',
      { ...created, sendAttempts: 1, nextSendAt: T + MINUTE },
      { ...open, wakeAt: T + MINUTE, note: `Mail 1, try 2 at ${korean(T + MINUTE)}.` },
    ],
    [
      'a mail after the last day',
      { ...created, nextSendAt: T + MINUTE, expiresAt: T + 1 },
      { ...open, wakeAt: T + 1, note: `Mail 1, try 1 at ${korean(T + MINUTE)}.` },
    ],
    ['the last day', sent, { ...open, wakeAt: T + LINK_MS, note: `Waits for the recipient until ${korean(T + LINK_MS)}.` }],
    ['none', states.EXPIRED, { wakeAt: null, calls: [], done: true, note: 'Finished: EXPIRED.', status: 'EXPIRED' }],
  ])('%s', (_, state, plan) => expect(decide(state, elapsed, T).plan).toEqual(plan));
});

test('no sequence of events leaves a final state, plans the past, or ends a run that is not over', () => {
  const anyEvent = fc.oneof(
    fc.constantFrom<InvitationEvent>({ type: 'load' }, elapsed, commanded(resend), commanded(cancel)),
    fc.integer({ min: 1, max: 3 }).map((sendNo) => commanded({ ...accept, input: { userId: 'usr', sendNo } })),
    fc
      .tuple(fc.constantFrom<MailOutcome['result']>('SENT', 'REFUSED', 'UNSENT', 'LOST'), fc.constantFrom('inv-1-1', 'planned'))
      .map(([result, callId]) => mail({ result }, callId)),
  );
  const gap = fc.oneof(fc.integer({ min: 0, max: 10 * MINUTE }), fc.integer({ min: 0, max: LINK_MS }));
  fc.assert(
    fc.property(fc.array(fc.tuple(gap, anyEvent), { maxLength: 40 }), (steps) => {
      let at = T;
      let { state, plan } = decide(created, elapsed, at);
      for (const [wait, event] of steps) {
        at += wait;
        const before = state;
        const aimed = event.type === 'outcome' && event.callId === 'planned' ? { ...event, callId: plan.calls[0]?.id ?? 'none' } : event;
        if (refusalOf(() => ({ state, plan } = decide(state, aimed, at)))) continue;
        if (before.status === 'ACCEPTED' || before.status === 'CANCELED') expect(state.status).toBe(before.status);
        if (before.status === 'EXPIRED' && state.status !== 'EXPIRED') expect(aimed).toEqual(commanded(resend));
        expect(plan.done).toBe(state.status !== 'PENDING');
        expect(plan.done || plan.calls.length > 0 || plan.wakeAt! > at).toBe(true);
        expect(plan.calls.length).toBeLessThanOrEqual(1);
        // A transition that nothing has caused changes nothing.
        expect(decide(state, elapsed, at)).toEqual({ state, effects: [], plan });
      }
    }),
  );
});
