/** The machine of approval requests, without a database: each state with each event, and what no order of events can do. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type ApprovalCommand,
  type ApprovalEvent,
  type ApprovalState,
  checkCommand,
  decide as decideAt,
  type Decider,
} from '../../../domain/approvals/machine.ts';
import {
  APPROVAL_STATUSES,
  type ApprovalStatus,
  executionGap,
  isDecided,
  searchGap,
  SEARCH_MS,
  PENDING_MS,
  RETRY_MS,
} from '../../../domain/approvals/rules.ts';
import { Fault } from '../../../domain/kernel/errors.ts';
import { MINUTE, SECOND } from '../../../domain/kernel/time.ts';

const T = Date.UTC(2026, 10, 20);
/** By a clock that is not ahead. */
const decide = (state: ApprovalState, event: ApprovalEvent, at: number, clock = 0) => decideAt(state, event, { at, real: at - clock });
const requested: ApprovalState = {
  storeId: 'sto',
  approvalId: 'apr',
  status: 'PENDING',
  expiresAt: T + PENDING_MS,
  approverRole: 'ADMIN',
  requiredScopes: ['order:rw'],
  previewDigest: 'shown',
  round: 0,
  executingSince: null,
  executingReal: null,
  attempts: 0,
  nextAttemptAt: null,
  result: null,
};
const executing: ApprovalState = { ...requested, status: 'EXECUTING', executingSince: T, executingReal: T, nextAttemptAt: T };
const ended = { executingSince: T, executingReal: T, attempts: 1, nextAttemptAt: null };
const states: Readonly<Record<ApprovalStatus, ApprovalState>> = {
  PENDING: requested,
  EXECUTING: executing,
  SUCCEEDED: { ...requested, ...ended, status: 'SUCCEEDED', result: { status: 200, code: 'OK' } },
  FAILED: { ...requested, ...ended, status: 'FAILED', result: { status: 409, code: 'INVALID_STATUS' } },
  UNKNOWN: { ...requested, ...ended, status: 'UNKNOWN', attempts: 12, nextAttemptAt: T + 2 * MINUTE },
  REJECTED: { ...requested, status: 'REJECTED' },
  EXPIRED: { ...requested, status: 'EXPIRED' },
};
const owner: Decider = { userId: 'usr', role: 'OWNER', scopes: ['order:rw'], via: 'CONSOLE' };
const approve = (by: Partial<Decider> = {}): ApprovalCommand => ({ name: 'approve', input: { ...owner, ...by } });
const reject = (by: Partial<Decider> = {}): ApprovalCommand => ({ name: 'reject', input: { ...owner, ...by } });
const commanded = (command: ApprovalCommand): ApprovalEvent => ({ type: 'command', command });
type Outcome = Extract<ApprovalEvent, { type: 'outcome' }>['outcome'];
const outcome = (result: Outcome, callId = 'apr-execute-1'): ApprovalEvent => ({ type: 'outcome', callId, outcome: result });
const done = (status: number): Outcome => ({ result: 'DONE', status, code: 'CODE' });
const stale = (round = 0): Outcome => ({ result: 'DONE', status: 409, code: 'APPROVAL_STALE', round });
const refusalOf = (work: () => unknown): readonly unknown[] => {
  try {
    work();
    return [];
  } catch (error) {
    if (error instanceof Fault) return [error.code, error.extra.details];
    throw error;
  }
};

describe('decisions', () => {
  test('approve: EXECUTING, and the execution is called at once', () => {
    const { state, effects, plan } = decide(requested, commanded(approve()), T + 5);
    expect(state).toEqual({ ...requested, status: 'EXECUTING', executingSince: T + 5, executingReal: T + 5, nextAttemptAt: T + 5 });
    expect(effects).toEqual([{ type: 'recordDecision', decision: 'APPROVE', by: owner }]);
    expect(plan).toMatchObject({
      done: false,
      calls: [{ id: 'apr-execute-1', name: 'execute', input: { approvalId: 'apr', attempt: 1 } }],
    });
  });
  test('reject: REJECTED, and nothing is called', () => {
    const { state, effects, plan } = decide(requested, commanded(reject()), T + 5);
    expect(state).toEqual({ ...requested, status: 'REJECTED' });
    expect(effects).toEqual([{ type: 'recordDecision', decision: 'REJECT', by: owner }]);
    expect(plan).toMatchObject({ done: true, calls: [], wakeAt: null });
  });
  test.each(APPROVAL_STATUSES.flatMap((status) => [approve(), reject()].map((command) => [status, command.name, command] as const)))(
    '%s: %s',
    (status, _, command) => {
      const refused = refusalOf(() => decide(states[status], commanded(command), T));
      if (status === 'PENDING') expect(refused).toEqual([]);
      else if (status === 'EXPIRED') expect(refused).toEqual(['APPROVAL_EXPIRED', undefined]);
      else expect(refused).toEqual(['APPROVAL_NOT_PENDING', { status }]);
    },
  );
  test('from expiresAt on it is EXPIRED, whether or not its run has woken', () => {
    const refused = (at: number) => [approve(), reject()].map((command) => refusalOf(() => checkCommand(requested, command, at))[0]);
    expect(refused(T + PENDING_MS - 1)).toEqual([undefined, undefined]);
    expect(refused(T + PENDING_MS)).toEqual(['APPROVAL_EXPIRED', 'APPROVAL_EXPIRED']);
    for (const type of ['load', 'elapsed'] as const) {
      expect(decide(requested, { type }, T + PENDING_MS - 1)).toMatchObject({
        state: requested,
        plan: { wakeAt: T + PENDING_MS, done: false },
      });
      expect(decide(requested, { type }, T + PENDING_MS)).toMatchObject({ state: { status: 'EXPIRED' }, plan: { done: true } });
    }
  });
  test('approving needs the role and the scopes, rejecting only the console rule; both before the state', () => {
    const forOwner: ApprovalState = { ...requested, approverRole: 'OWNER' };
    const admin = { role: 'ADMIN' } as const;
    const staff = { role: 'STAFF' } as const;
    expect(refusalOf(() => decide(requested, commanded(approve(admin)), T))).toEqual([]);
    expect(refusalOf(() => decide(forOwner, commanded(approve(admin)), T))).toEqual(['INSUFFICIENT_ROLE', undefined]);
    expect(refusalOf(() => decide(forOwner, commanded(reject(admin)), T))).toEqual([]);
    for (const command of [approve(staff), reject(staff)])
      expect(refusalOf(() => decide(requested, commanded(command), T))).toEqual(['INSUFFICIENT_ROLE', undefined]);
    const narrow = { scopes: ['order:r', 'product:rw'] };
    expect(refusalOf(() => decide(requested, commanded(approve(narrow)), T))).toEqual(['INSUFFICIENT_SCOPE', { required: ['order:rw'] }]);
    expect(refusalOf(() => decide(requested, commanded(reject(narrow)), T))).toEqual([]);
    expect(refusalOf(() => decide(states.FAILED, commanded(approve(narrow)), T))[0]).toBe('INSUFFICIENT_SCOPE');
  });
});

describe('what was approved', () => {
  test('an approval is of the preview that is kept, and of no other; a rejection of any', () => {
    expect(refusalOf(() => decide(requested, commanded(approve({ previewDigest: 'shown' } as object)), T))).toEqual([]);
    expect(refusalOf(() => decide(requested, commanded(approve({ previewDigest: 'other' } as object)), T))).toEqual([
      'APPROVAL_STALE',
      undefined,
    ]);
    expect(refusalOf(() => decide(requested, commanded(reject({ previewDigest: 'other' } as object)), T))).toEqual([]);
  });
  test('an execution that would do something else does nothing: it waits for another decision, in another round', () => {
    const { state, effects, plan } = decide(executing, outcome(stale()), T + 9);
    expect(state).toEqual({ ...requested, attempts: 1, round: 1 });
    expect([effects, plan]).toMatchObject([[{ type: 'withdrawDecision' }], { calls: [], wakeAt: T + PENDING_MS, done: false }]);
    const again = decide(state, commanded(approve()), T + 10).state;
    expect(again).toMatchObject({ status: 'EXECUTING', round: 1 });
    // What the first round still says is no answer to the second.
    for (const late of [stale(), { ...done(200), round: 0 } as Outcome]) expect(decide(again, outcome(late), T + 11).state).toEqual(again);
    expect(decide(again, outcome({ ...done(200), round: 1 } as Outcome), T + 11).state.status).toBe('SUCCEEDED');
  });
  test('after its time it has expired by then', () => {
    expect(decide(executing, outcome(stale()), T + PENDING_MS)).toMatchObject({ state: { status: 'EXPIRED' }, plan: { done: true } });
  });
});

describe('execution', () => {
  test('a sandbox clock that jumps ends no execution: tries and look-ups are counted in real time', () => {
    const [at, clock] = [T + 9 * PENDING_MS, 9 * PENDING_MS - SECOND];
    expect(decide(executing, { type: 'load' }, at, clock).plan.calls[0]).toMatchObject({ name: 'execute', input: { at, clock } });
    const { state } = decide(executing, outcome({ result: 'UNKNOWN' }), at, clock);
    expect(state).toMatchObject({ status: 'EXECUTING', nextAttemptAt: at + SECOND });
  });
  test.each([
    [200, 'SUCCEEDED'],
    [201, 'SUCCEEDED'],
    [202, 'SUCCEEDED'],
    [400, 'FAILED'],
    [401, 'FAILED'],
    [409, 'FAILED'],
    [503, 'FAILED'],
  ])('an answer of %d is %s', (status, expected) => {
    const { state, plan } = decide(executing, outcome(done(status)), T + 9);
    expect(state).toEqual({ ...executing, status: expected, attempts: 1, nextAttemptAt: null, result: { status, code: 'CODE' } });
    expect(plan).toMatchObject({ done: true, calls: [] });
  });
  test('a call that is planned again keeps its id, a lost one is followed by the next after a gap', () => {
    expect(decide(executing, { type: 'load' }, T + 5).plan.calls.map(({ id }) => id)).toEqual(['apr-execute-1']);
    for (const result of ['LOST', 'UNKNOWN'] as const) {
      const { state, plan } = decide(executing, outcome({ result }), T + 5);
      expect(state).toEqual({ ...executing, attempts: 1, nextAttemptAt: T + 5 + executionGap(1) });
      expect(plan).toMatchObject({ calls: [], wakeAt: T + 5 + SECOND, done: false });
      expect(decide(state, { type: 'elapsed' }, T + 5 + SECOND).plan.calls[0]!.id).toBe('apr-execute-2');
    }
  });
  test('from a minute on it is looked up, and UNKNOWN without an answer; for a day', () => {
    const late = { ...executing, attempts: 9, nextAttemptAt: T + RETRY_MS };
    expect(decide(late, { type: 'elapsed' }, T + RETRY_MS).plan.calls[0]!.name).toBe('findExecution');
    // The last execution ends after its minute: the look-up follows at once.
    expect(decide(late, outcome({ result: 'LOST' }, 'apr-execute-10'), T + RETRY_MS).plan.calls[0]!.id).toBe('apr-findExecution-10');
    const unknown = decide(late, outcome({ result: 'LOST' }, 'apr-findExecution-10'), T + RETRY_MS);
    expect(unknown.state).toMatchObject({ status: 'UNKNOWN', nextAttemptAt: T + RETRY_MS + searchGap(RETRY_MS) });
    expect(unknown.plan).toMatchObject({ done: false, isPollOnly: true });
    // Soon after, because a try that began in time may have ended; then at longer and longer gaps.
    expect([MINUTE, 4 * MINUTE, 60 * MINUTE].map(searchGap)).toEqual([MINUTE / 2, 2 * MINUTE, 15 * MINUTE]);
    expect(decide(unknown.state, outcome(done(200), 'apr-findExecution-11'), T + 9 * MINUTE).state.status).toBe('SUCCEEDED');
    const over = decide(unknown.state, outcome({ result: 'LOST' }, 'apr-findExecution-11'), T + SEARCH_MS);
    expect(over).toMatchObject({ state: { status: 'UNKNOWN', nextAttemptAt: null }, plan: { done: true } });
  });
});

const events = fc.oneof(
  fc.constantFrom<ApprovalEvent>({ type: 'load' }, { type: 'elapsed' }, commanded(approve()), commanded(reject())),
  fc
    .tuple(
      fc.constantFrom<Outcome>({ result: 'LOST' }, { result: 'UNKNOWN' }, done(200), done(404), done(503), stale(), stale(1)),
      fc.constantFrom('expected', 'apr-execute-1', 'apr-findExecution-2'),
    )
    .map(([result, callId]) => outcome(result, callId)),
);
const steps = fc.array(fc.tuple(events, fc.constantFrom(0, 1, SECOND, 10 * SECOND, MINUTE, 60 * MINUTE, PENDING_MS)), { maxLength: 40 });

test('in any order of events it is decided once, is carried out only when approved, and its result never changes', () => {
  fc.assert(
    fc.property(steps, (sequence) => {
      let state = requested;
      let at = T;
      const decisions: string[] = [];
      let result: ApprovalState['result'] = null;
      for (const [event, later] of sequence) {
        at += later;
        const { calls } = decide(state, { type: 'load' }, at).plan;
        const isExpected = event.type === 'outcome' && event.callId === 'expected';
        const happens = isExpected ? { ...event, callId: calls[0]?.id ?? 'none' } : event;
        try {
          const next = decide(state, happens, at);
          for (const effect of next.effects) {
            if (effect.type === 'recordDecision') decisions.push(effect.decision);
            // Not carried out: nothing is decided any more.
            else decisions.length = 0;
          }
          state = next.state;
          if (next.plan.calls.length > 0) expect(decisions).toEqual(['APPROVE']);
          expect(next.plan.done).toBe(isDecided(state.status) && state.nextAttemptAt === null);
          expect(next.plan.done || next.plan.wakeAt !== null).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(Fault);
          expect(happens.type).toBe('command');
        }
        if (result) expect(state.result).toEqual(result);
        result = state.result;
        const carriedOut: readonly ApprovalStatus[] = ['EXECUTING', 'SUCCEEDED', 'FAILED', 'UNKNOWN'];
        expect(carriedOut.includes(state.status)).toBe(decisions[0] === 'APPROVE');
        expect(state.status === 'REJECTED').toBe(decisions[0] === 'REJECT');
      }
      expect(decisions.length).toBeLessThanOrEqual(1);
    }),
    { numRuns: 2000 },
  );
});
