/**
 * The mails of a store about its approval requests, without a database: rounds are ten minutes apart, and each mail is tried four times.
 */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decideNotice, type NoticeEvent, type NoticeState, type Unnoticed } from '../../../domain/approvals/notice.ts';
import { couldApprove, NOTICE_GAP_MS } from '../../../domain/approvals/rules.ts';
import { MINUTE, SECOND } from '../../../domain/kernel/time.ts';

const T = Date.UTC(2026, 10, 20);
const quiet: NoticeState = { storeId: 'sto', lastAt: null, round: 0, mails: [] };
const NONE: Unnoticed = { isAny: false, userIds: [] };
const SOME: Unnoticed = { isAny: true, userIds: ['u1', 'u2'] };
const load: NoticeEvent = { type: 'load' };
type Result = 'SENT' | 'SKIPPED' | 'REFUSED' | 'UNSENT' | 'LOST';
const ended = (callId: string, result: Result): NoticeEvent => ({ type: 'outcome', callId, outcome: { result } });

test('the first request of a quiet store is mailed at once, one mail for each person', () => {
  const { state, effects, plan } = decideNotice(quiet, SOME, load, T);
  expect(effects).toEqual([{ type: 'openRound', round: 1 }]);
  expect(state).toMatchObject({ lastAt: T, round: 1 });
  expect(plan.calls.map(({ id }) => id)).toEqual(['sto-1-u1-1', 'sto-1-u2-1']);
  expect(plan.done).toBe(false);
});

test('later ones wait until ten minutes after the last mail, and none left is no mail', () => {
  const mailed: NoticeState = { ...quiet, lastAt: T, round: 1 };
  const waits = decideNotice(mailed, SOME, load, T + MINUTE);
  expect(waits).toMatchObject({ effects: [], plan: { wakeAt: T + NOTICE_GAP_MS, calls: [], done: false } });
  expect(decideNotice(mailed, SOME, { type: 'elapsed' }, T + NOTICE_GAP_MS).effects).toEqual([{ type: 'openRound', round: 2 }]);
  expect(decideNotice(mailed, NONE, { type: 'elapsed' }, T + NOTICE_GAP_MS)).toMatchObject({ effects: [], plan: { done: true } });
});

test('a round for nobody delays nothing', () => {
  const { state, plan } = decideNotice(quiet, { isAny: true, userIds: [] }, load, T);
  expect([state.lastAt, state.round, plan.done]).toEqual([null, 1, true]);
});

test('a mail that could not be sent is tried after 10 seconds, 1 minute and 5 minutes', () => {
  let state = decideNotice(quiet, { isAny: true, userIds: ['u1'] }, load, T).state;
  let at = T;
  const gaps: number[] = [];
  for (let n = 1; n <= 4; n++) {
    const next = decideNotice(state, NONE, ended(`sto-1-u1-${n}`, n % 2 === 0 ? 'LOST' : 'UNSENT'), at);
    state = next.state;
    if (next.plan.wakeAt !== null) gaps.push(next.plan.wakeAt - at);
    at = next.plan.wakeAt ?? at;
  }
  expect(gaps).toEqual([10 * SECOND, MINUTE, 5 * MINUTE]);
  expect(state.mails).toEqual([]);
  for (const result of ['SENT', 'SKIPPED', 'REFUSED'] as const) {
    const open = decideNotice(quiet, { isAny: true, userIds: ['u1'] }, load, T).state;
    expect(decideNotice(open, NONE, ended('sto-1-u1-1', result), T).plan.done).toBe(true);
  }
});

test('in any order of events rounds are ten minutes apart, and no mail is tried more than four times', () => {
  const step = fc.record({
    later: fc.constantFrom(0, SECOND, 10 * SECOND, MINUTE, 5 * MINUTE, NOTICE_GAP_MS),
    isAny: fc.boolean(),
    result: fc.option(fc.constantFrom<Result>('SENT', 'SKIPPED', 'REFUSED', 'UNSENT', 'LOST')),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 50 }), (sequence) => {
      let [state, at] = [quiet, T];
      const rounds: number[] = [];
      for (const { later, isAny, result } of sequence) {
        at += later;
        const [call] = decideNotice(state, NONE, load, at).plan.calls;
        const next = decideNotice(state, isAny ? SOME : NONE, result && call ? ended(call.id, result) : load, at);
        state = next.state;
        if (next.effects.length > 0) rounds.push(at);
        expect(state.mails.every(({ attempts }) => attempts < 4)).toBe(true);
        expect(new Set(next.plan.calls.map(({ id }) => id)).size).toBe(next.plan.calls.length);
        expect(next.plan.done || next.plan.wakeAt !== null).toBe(true);
      }
      expect(rounds.slice(1).every((one, i) => one - rounds[i]! >= NOTICE_GAP_MS)).toBe(true);
    }),
  );
});

test('those are mailed whose role could approve it', () => {
  const needs = { approverRole: 'ADMIN', requiredScopes: ['order:rw'] } as const;
  const able = (['OWNER', 'ADMIN', 'STAFF'] as const).filter((role) => couldApprove(role, needs));
  expect(able).toEqual(['OWNER', 'ADMIN']);
  expect((['OWNER', 'ADMIN'] as const).filter((role) => couldApprove(role, { ...needs, approverRole: 'OWNER' }))).toEqual(['OWNER']);
  expect(couldApprove('OWNER', { ...needs, requiredScopes: ['member:delegate'] })).toBe(false);
});
