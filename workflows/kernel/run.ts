/**
 * The one skeleton of every durable run. It owns timers and calls in flight, and no business state: facts live
 * in Postgres, and every transition answers what the run owes next. It may be terminated or reset at any await.
 */
import {
  ActivityFailure,
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  defineUpdate,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { entityStatus, nextDeadline } from './attributes.ts';
import type { Call, Command, Outcome, Owed, RunEvent, RunRef } from './obligations.ts';

/** A seller's or buyer's wish, answered when its transition is committed. */
export const command = defineUpdate<void, [Command]>('command');
/** The store's clock moved: its offset in milliseconds, which only grows. */
export const clock = defineSignal<[number]>('clock');
/** "Look again": sent by the reconciler and by whoever changed what this run should know. */
export const poke = defineSignal('poke');

/** What a kind adds to the skeleton: the name of its transition activity and the calls it can make. */
export interface Kind {
  readonly transition: string;
  readonly calls: Readonly<Record<string, (call: Call) => Promise<Outcome>>>;
}
type Transitions = Record<string, (run: RunRef, event: RunEvent, at: number) => Promise<Owed>>;

/** The store, the order's number where there is one, and nothing that names a person. */
export async function host(run: RunRef, kind: Kind): Promise<void> {
  let owed: Owed = { wakeAt: null, calls: [], done: false, clock: run.clock ?? 0, note: '', status: '' };
  let turn: Promise<unknown> = Promise.resolve();
  let changes = 0;
  let waiting = 0;
  const inFlight = new Set<string>();
  const now = () => Date.now() + owed.clock;

  /** One transition at a time, in order of arrival. */
  const apply = (event: RunEvent): Promise<void> => {
    waiting++;
    const mine = turn.then(async () => {
      const next = await transition(kind, run, event, now());
      show(owed, next);
      owed = { ...next, clock: Math.max(owed.clock, next.clock) };
      changes++;
    });
    turn = mine.catch(() => undefined).finally(() => waiting--);
    return mine;
  };
  const ask = async (call: Call) => {
    inFlight.add(call.id);
    await apply({ type: 'outcome', callId: call.id, outcome: await outcomeOf(kind, call) });
    inFlight.delete(call.id);
    changes++;
  };

  setHandler(
    command,
    async (wish) => {
      await apply({ type: 'command', command: wish }).catch((error: unknown) => {
        throw error instanceof ActivityFailure && error.cause instanceof ApplicationFailure ? error.cause : error;
      });
      if (wish.wait === 'settled') await condition(() => waiting === 0 && inFlight.size === 0 && !pending());
    },
    { description: 'Carries out a command; answers when it is committed' },
  );
  setHandler(
    clock,
    (offset) => {
      owed = { ...owed, clock: Math.max(owed.clock, offset) };
      changes++;
    },
    { description: 'The clock of the sandbox store moved' },
  );
  let poked = false;
  setHandler(
    poke,
    () => {
      poked = true;
      changes++;
    },
    { description: 'Look again at what the run owes' },
  );
  const pending = () => owed.calls.some((call) => !inFlight.has(call.id));

  // A command that arrives with the start answers what is owed; a separate load would say the same.
  await Promise.resolve();
  if (waiting === 0) await apply({ type: 'load' });
  else await turn;
  if (changes === 0) await apply({ type: 'load' });

  while (!owed.done) {
    const seen = changes;
    for (const call of owed.calls) if (!inFlight.has(call.id)) void ask(call);
    if (owed.wakeAt !== null && owed.wakeAt <= now() && inFlight.size === 0) await apply({ type: 'elapsed' });
    else if (poked && waiting === 0) {
      poked = false;
      await apply({ type: 'load' });
    } else if (workflowInfo().continueAsNewSuggested && waiting === 0 && inFlight.size === 0 && allHandlersFinished())
      await continueAsNew<(ref: RunRef) => Promise<void>>({ ...run, clock: owed.clock });
    else await until(inFlight.size > 0 ? null : owed.wakeAt, () => changes !== seen, now, owed.note);
  }
  await condition(allHandlersFinished);
}

/** Waits for a business time or until `changed`. The timer's summary is what an operator reads. */
async function until(
  deadline: number | null,
  changed: () => boolean,
  now: () => number,
  summary: string,
): Promise<void> {
  if (deadline === null) return condition(changed);
  await CancellationScope.cancellable(async () => {
    const scope = CancellationScope.current();
    const timer = sleep(Math.max(1, deadline - now()), { summary }).catch((error: unknown) => {
      if (!isCancellation(error)) throw error;
    });
    await Promise.race([timer, condition(changed)]).finally(() => scope.cancel());
  }).catch((error: unknown) => {
    if (!isCancellation(error)) throw error;
  });
}

/**
 * Runs a transition quickly, as a local activity; when Postgres is out of reach, or on a deadline whatever the
 * error, as an ordinary activity that an operator sees pending with its last failure, for as long as it takes.
 */
async function transition(kind: Kind, run: RunRef, event: RunEvent, at: number): Promise<Owed> {
  const summary = event.type === 'command' ? event.command.name : event.type === 'outcome' ? event.outcome.kind : event.type;
  const quick = proxyLocalActivities<Transitions>({
    startToCloseTimeout: '2s',
    retry: { maximumAttempts: 1 },
    summary,
  });
  try {
    return await quick[kind.transition]!(run, event, at);
  } catch (error) {
    if (isCancellation(error) || isFinal(error)) throw error;
  }
  const visible = proxyActivities<Transitions>({
    startToCloseTimeout: '10s',
    retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '5s' },
    summary: `${summary}, waiting for Postgres`,
  });
  return visible[kind.transition]!(run, event, at);
}

const isFinal = (error: unknown) =>
  error instanceof ActivityFailure && error.cause instanceof ApplicationFailure && error.cause.nonRetryable === true;

/** A call whose activity is lost (worker killed, timeout) has an unknown outcome, which the transition looks up. */
async function outcomeOf(kind: Kind, call: Call): Promise<Outcome> {
  try {
    return await kind.calls[call.kind]!(call);
  } catch (error) {
    if (error instanceof ActivityFailure && !isCancellation(error)) return { kind: 'LOST' };
    throw error;
  }
}

/** Shows operators what changed: status and next deadline as search attributes, the note as current details. */
function show(was: Owed, is: Owed): void {
  if (is.note !== was.note) setCurrentDetails(is.note);
  if (is.status === was.status && is.wakeAt === was.wakeAt) return;
  upsertSearchAttributes([
    { key: entityStatus, value: is.status },
    { key: nextDeadline, value: is.wakeAt === null ? null : new Date(is.wakeAt) },
  ]);
}
