/** The delivery's machine, without a database: each state with each event, and what no sequence of events can do. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DAY, HOUR, korean, MINUTE, SECOND } from '../../../domain/kernel/time.ts';
import { type AttemptAnswer, decide, type Delayed, type DeliveryEvent, type DeliveryState } from '../../../domain/webhooks/machine.ts';
import { type AttemptOutcome, isInFlight, isWaiting } from '../../../domain/webhooks/rules.ts';
import { firstPlan } from '../../../workflows/webhooks.ts';

const T = Date.UTC(2026, 10, 20);
const NOTHING: AttemptOutcome = { errorCode: null, responseStatusCode: null, responseTimeMs: null, responseBodyExcerpt: null };
const created: DeliveryState = {
  ...NOTHING,
  storeId: 'sto',
  deliveryId: 'whd',
  status: 'PENDING',
  attemptCount: 0,
  attemptedAt: null,
  nextAttemptAt: null,
  epoch: 0,
  createdAt: T,
  receiver: { isActive: true, hasFailed: false, epoch: 0 },
};
const REFUSED: AttemptOutcome = { errorCode: 'NON_2XX', responseStatusCode: 500, responseTimeMs: 12, responseBodyExcerpt: 'no' };
const TAKEN: AttemptOutcome = { errorCode: null, responseStatusCode: 204, responseTimeMs: 12, responseBodyExcerpt: '' };
/** As beginning an attempt leaves it. */
const underWay = (n: number): DeliveryState => ({
  ...created,
  status: n === 1 ? 'PENDING' : 'PENDING_RETRY',
  attemptCount: n,
  ...(n > 1 && REFUSED),
});
const waits: DeliveryState = { ...underWay(2), attemptCount: 1, attemptedAt: T, nextAttemptAt: T + MINUTE };
const states = {
  'PENDING, created': created,
  'PENDING, its first attempt under way': underWay(1),
  'PENDING_RETRY, waits': waits,
  'PENDING_RETRY, its second attempt under way': underWay(2),
  'PENDING_RETRY, its fifth attempt under way': underWay(5),
  SUCCESS: { ...underWay(1), ...TAKEN, status: 'SUCCESS', attemptedAt: T },
  FAILED: { ...underWay(5), ...REFUSED, status: 'FAILED', attemptedAt: T },
} as const satisfies Record<string, DeliveryState>;
type Name = keyof typeof states;

const load: DeliveryEvent = { type: 'load' };
const elapsed: DeliveryEvent = { type: 'elapsed' };
const suspended: DeliveryEvent = { type: 'suspended' };
const DELAYED: Delayed = { delayedMs: 45_000 };
const outcome = (n: number, answer: AttemptAnswer): DeliveryEvent => ({
  type: 'outcome',
  callId: `whd-${n}`,
  answer,
});
const FAILED = { status: 'FAILED', errorCode: 'WEBHOOK_SUSPENDED', nextAttemptAt: null } as const;
const at = T + 5 * SECOND;
const ended = { attemptedAt: at, nextAttemptAt: null } as const;

describe('a receiver that is active', () => {
  const success = { ...TAKEN, ...ended, status: 'SUCCESS' };
  const retry = (gap: number) => ({ ...REFUSED, ...ended, status: 'PENDING_RETRY', nextAttemptAt: at + gap });
  const timeout = { ...NOTHING, errorCode: 'TIMEOUT' };
  const note = ['recordFailure'];
  test.each<[Name, string, DeliveryEvent, Partial<DeliveryState>, string[]]>([
    ['PENDING, its first attempt under way', 'success', outcome(1, TAKEN), success as object, []],
    ['PENDING, its first attempt under way', 'failure', outcome(1, REFUSED), retry(MINUTE) as object, note],
    ['PENDING, its first attempt under way', 'lost', outcome(1, 'LOST'), { ...retry(MINUTE), ...timeout } as object, note],
    ['PENDING_RETRY, its second attempt under way', 'success', outcome(2, TAKEN), success as object, []],
    ['PENDING_RETRY, its second attempt under way', 'failure', outcome(2, REFUSED), retry(5 * MINUTE) as object, note],
    ['PENDING_RETRY, its fifth attempt under way', 'success', outcome(5, TAKEN), success as object, []],
    ['PENDING_RETRY, its fifth attempt under way', 'failure', outcome(5, REFUSED), { ...REFUSED, ...ended, status: 'FAILED' }, note],
    ['PENDING_RETRY, its fifth attempt under way', 'lost', outcome(5, 'LOST'), { ...timeout, ...ended, status: 'FAILED' } as object, note],
    // The attempt could not even be begun: the same one again.
    ['PENDING, created', 'not begun', outcome(1, 'LOST'), { nextAttemptAt: at + 30 * SECOND }, []],
    ['PENDING_RETRY, waits', 'not begun', outcome(2, 'LOST'), { nextAttemptAt: at + 30 * SECOND }, []],
    // Its store had too many in flight: the same one again, when it was told.
    ['PENDING_RETRY, waits', 'put off', outcome(2, DELAYED), { nextAttemptAt: at + 45_000 }, []],
    ['PENDING, created', 'suspended', suspended, FAILED, []],
    ['PENDING_RETRY, waits', 'suspended', suspended, FAILED, []],
  ])('%s: %s', (name, _, event, changes, effects) => {
    const decided = decide(states[name], event, at);
    expect(decided.state).toEqual({ ...states[name], ...changes });
    expect(decided.effects.map(({ type }) => type)).toEqual(effects);
  });

  test.each<[Name, readonly DeliveryEvent[]]>([
    ['PENDING, created', [load, elapsed, outcome(1, 'RECORDED'), outcome(1, TAKEN), outcome(0, 'LOST'), outcome(2, 'LOST')]],
    [
      'PENDING, its first attempt under way',
      [load, elapsed, outcome(1, 'RECORDED'), outcome(2, TAKEN), outcome(0, 'LOST'), outcome(2, 'LOST')],
    ],
    [
      'PENDING_RETRY, waits',
      [load, elapsed, outcome(1, 'RECORDED'), outcome(1, TAKEN), outcome(1, 'LOST'), outcome(1, DELAYED), outcome(2, REFUSED)],
    ],
    [
      'PENDING_RETRY, its second attempt under way',
      [load, elapsed, outcome(1, 'LOST'), outcome(1, TAKEN), outcome(2, DELAYED), outcome(2, 'RECORDED')],
    ],
    ['SUCCESS', [load, elapsed, suspended, outcome(1, TAKEN), outcome(1, REFUSED), outcome(1, 'LOST'), outcome(2, 'LOST')]],
    [
      'FAILED',
      [load, elapsed, suspended, outcome(5, DELAYED), outcome(5, TAKEN), outcome(5, REFUSED), outcome(5, 'LOST'), outcome(6, 'LOST')],
    ],
  ])('%s: time, and outcomes that are not of the attempt under way, change nothing', (name, events) => {
    for (const event of events) {
      const { state, effects } = decide(states[name], event, at);
      expect([event, state, effects]).toEqual([event, states[name], []]);
    }
  });

  test('a success ends its row of failures', () => {
    const failing = { ...underWay(1), receiver: { ...created.receiver, hasFailed: true } };
    expect(decide(failing, outcome(1, TAKEN), at).effects).toEqual([{ type: 'forgetFailures' }]);
    expect(decide(failing, outcome(1, REFUSED), at).effects).toEqual([{ type: 'recordFailure' }]);
  });
  test('a failure that suspends it is the last, and keeps what it answered', () => {
    const { state } = decide(underWay(1), outcome(1, REFUSED), at);
    expect(decide(state, suspended, at)).toMatchObject({
      state: { ...FAILED, responseStatusCode: 500, responseBodyExcerpt: 'no', attemptedAt: at },
      plan: { done: true },
    });
    // The fifth had ended anyway.
    const last = decide(underWay(5), outcome(5, REFUSED), at).state;
    expect(decide(last, suspended, at).state).toEqual(last);
  });
});

describe.each([
  ['is suspended or deleted', { isActive: false, hasFailed: true, epoch: 1 }],
  ['was suspended, and resumed since', { isActive: true, hasFailed: false, epoch: 1 }],
])('a receiver that %s', (_, receiver) => {
  const given = (name: Name): DeliveryState => ({ ...states[name], receiver });
  test.each<Name>(['PENDING, created', 'PENDING_RETRY, waits'])('%s: whatever comes ends it', (name) => {
    for (const event of [load, elapsed, outcome(1, 'RECORDED'), outcome(1, 'LOST'), outcome(2, 'LOST'), outcome(2, DELAYED), suspended]) {
      const { state, effects, plan } = decide(given(name), event, at);
      expect([state, effects, plan.done]).toEqual([{ ...given(name), ...FAILED }, [], true]);
    }
  });
  test('an attempt under way is waited for: its success stands, its failure is the last', () => {
    const begun = given('PENDING_RETRY, its second attempt under way');
    for (const event of [load, elapsed]) expect(decide(begun, event, at).state).toEqual(begun);
    expect(decide(begun, outcome(2, TAKEN), at).state.status).toBe('SUCCESS');
    for (const answer of [REFUSED, 'LOST'] as const)
      expect(decide(begun, outcome(2, answer), at)).toMatchObject({
        state: FAILED,
        effects: [{ type: 'recordFailure' }],
        plan: { done: true },
      });
  });
});
test('what is made for a receiver while it is suspended ends too, in its epoch', () => {
  const late = { ...created, epoch: 1, receiver: { isActive: false, hasFailed: true, epoch: 1 } };
  expect(decide(late, elapsed, at).state).toMatchObject(FAILED);
  expect(decide({ ...late, receiver: { ...late.receiver, isActive: true } }, elapsed, at).state.status).toBe('PENDING');
});

describe('the plan', () => {
  const call = (attempt: number, when: number) => ({
    id: `whd-${attempt}`,
    name: 'attemptDelivery',
    storeId: 'sto',
    input: { deliveryId: 'whd', attempt, at: when },
  });
  const over = (status: string) => ({ wakeAt: null, calls: [], done: true, note: `Finished: ${status}.`, status });
  const open = (status: string, wakeAt: number, n: number) => ({
    wakeAt,
    done: false,
    note: `Attempt ${n} of 5 at ${korean(wakeAt)}.`,
    status,
  });
  test.each<[Name, object]>([
    ['PENDING, created', { ...open('PENDING', T, 1), calls: [call(1, at)] }],
    ['PENDING, its first attempt under way', { ...open('PENDING', T, 1), calls: [call(1, at)] }],
    ['PENDING_RETRY, waits', { ...open('PENDING_RETRY', T + MINUTE, 2), calls: [], next: call(2, T + MINUTE) }],
    ['PENDING_RETRY, its second attempt under way', { ...open('PENDING_RETRY', T, 2), calls: [call(2, at)] }],
    ['SUCCESS', over('SUCCESS')],
    ['FAILED', over('FAILED')],
  ])('%s', (name, plan) => expect(decide(states[name], elapsed, at).plan).toEqual(plan));
  test('the run of a new delivery plans its first attempt as the machine does, without the row', () => {
    const { note: _, clock: __, ...first } = firstPlan({ storeId: 'sto', entityId: 'whd' }, T);
    expect(decide(created, load, T).plan).toMatchObject(first);
    expect(first.calls).toEqual([call(1, T)]);
    // The relay has it made briefly; else it is the same.
    expect(firstPlan({ storeId: 'sto', entityId: 'whd', isBrief: true }, T).calls).toEqual([{ ...call(1, T), isBrief: true }]);
  });
});

describe('any sequence of events', () => {
  const anyEvent = fc.oneof(
    fc.constantFrom<DeliveryEvent | 'begin' | 'suspend' | 'resume'>(load, elapsed, 'begin', 'begin', 'suspend', 'resume'),
    fc
      .tuple(fc.integer({ min: 0, max: 6 }), fc.constantFrom<AttemptAnswer>(REFUSED, REFUSED, 'LOST', 'RECORDED', TAKEN, DELAYED))
      .map(([n, answer]) => outcome(n, answer)),
  );
  /** What the rest of the system does to the row: attempts are begun by their activities, receivers are suspended and resumed. */
  const changed = (state: DeliveryState, change: 'begin' | 'suspend' | 'resume'): DeliveryState => {
    const { receiver } = state;
    if (change === 'resume') return { ...state, receiver: { ...receiver, isActive: true } };
    if (change === 'suspend')
      return receiver.isActive ? { ...state, receiver: { ...receiver, isActive: false, epoch: receiver.epoch + 1 } } : state;
    const mayBegin = isWaiting(state.status) && !isInFlight(state) && receiver.isActive && state.epoch >= receiver.epoch;
    return mayBegin ? { ...state, attemptCount: state.attemptCount + 1, nextAttemptAt: null } : state;
  };
  const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 3 * HOUR }), anyEvent), { maxLength: 40 });

  test('never leaves a final state, never plans the past without a call, never ends a run that is not over', () => {
    fc.assert(
      fc.property(steps, (all) => {
        let [state, now] = [created, T];
        for (const [wait, event] of all) {
          now += wait;
          const before = state;
          const next = typeof event === 'string' ? { state: changed(state, event), event: elapsed } : { state, event };
          const decided = decide(next.state, next.event, now);
          ({ state } = decided);
          const { plan } = decided;
          if (!isWaiting(before.status)) expect({ ...state, receiver: before.receiver }).toEqual(before);
          expect(plan.done).toBe(!isWaiting(state.status));
          expect(plan.done || plan.calls.length === 1 || plan.wakeAt! > now).toBe(true);
          expect(plan.calls.length === 0 || plan.next === undefined).toBe(true);
          expect(state.attemptCount).toBeLessThanOrEqual(5);
          // A transition that nothing has caused changes nothing.
          expect(decide(state, elapsed, now)).toEqual({ ...decided, effects: [] });
        }
      }),
    );
  });
  test('a receiver that never answers is tried five times within 2 hours 36 minutes and some, then never again', () => {
    let [state, now] = [created, T];
    const times: number[] = [];
    for (let plan = decide(state, elapsed, now).plan; !plan.done;) {
      now = Math.max(now, plan.wakeAt!);
      times.push(now - T);
      ({ state, plan } = decide(changed(state, 'begin'), outcome(times.length, 'LOST'), now));
    }
    expect(times).toEqual([0, 1, 6, 36, 156].map((minutes) => minutes * MINUTE));
    expect(decide(state, elapsed, now + DAY).plan.calls).toEqual([]);
  });
});
