/**
 * The one skeleton of every durable run. It owns timers and calls in flight, and no business state: facts live
 * in Postgres, and every transition answers what the run owes next. It may be terminated or reset at any await.
 */
import {
  ActivityFailure,
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  condition,
  continueAsNew,
  defineSignal,
  defineUpdate,
  isCancellation,
  patched,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { Call, Command, Outcome, Owed, RunEvent, RunRef } from './obligations.ts';
import { show } from './show.ts';

/** A seller's or buyer's wish, answered when its transition is committed. */
const command = defineUpdate<void, [Command]>('command');
/** The store's clock moved: its offset in milliseconds, which only grows. */
const clock = defineSignal<[number]>('clock');
/** "Look again": sent by the reconciler and by whoever changed what this run should know. */
const poke = defineSignal('poke');

/** What a kind adds to the skeleton: the name of its transition activity and the calls it can make. */
export interface Kind {
  readonly transition: string;
  /** What a run owes at its birth, where that needs no look at its row. */
  readonly first?: (run: RunRef, firstAt: number) => Owed;
  readonly calls: Readonly<Record<string, (call: Call) => Promise<Outcome>>>;
}
type Transitions = Record<string, (run: RunRef, event: RunEvent, at: number) => Promise<Owed>>;

/** A bug could leave a run due for ever; it then looks again once in this time instead of spinning. */
const STUCK_MS = 30_000;

/** Hosts one run until it is done. */
export async function host(run: RunRef, kind: Kind): Promise<void> {
  const hosted = new Hosted(run, kind);
  setHandler(command, (wish) => hosted.obey(wish), { description: 'Carries out a command; answers when it is committed' });
  setHandler(clock, (offset) => hosted.moveClock(offset), { description: 'The clock of the sandbox store moved' });
  setHandler(poke, () => hosted.lookAgain(), { description: 'Look again at what the run owes' });
  await hosted.load();
  do {
    while (!hosted.isDone) await hosted.turn();
    await condition(allHandlersFinished);
    // Poked while it was closing: its row may owe something again (a refund).
  } while (await hosted.isAwake());
}

class Hosted {
  readonly #run: RunRef;
  readonly #kind: Kind;
  #owed: Owed;
  /** The end of the queue of transitions: one at a time, in order of arrival. */
  #queue: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  /** Counts everything that may change what to wait for. */
  #changes = 0;
  #poked = false;
  readonly #inFlight = new Set<string>();

  constructor(run: RunRef, kind: Kind) {
    this.#run = run;
    this.#kind = kind;
    this.#owed =
      run.firstAt !== undefined && kind.first
        ? kind.first(run, run.firstAt)
        : { wakeAt: null, calls: [], done: false, clock: run.clock ?? 0, note: '', status: '' };
  }

  get isDone(): boolean {
    return this.#owed.done;
  }
  /** Business time. */
  #now(): number {
    return Date.now() + this.#owed.clock;
  }
  get #isIdle(): boolean {
    return this.#waiting === 0 && this.#inFlight.size === 0;
  }

  async obey(wish: Command): Promise<void> {
    this.moveClock(wish.clock);
    try {
      await this.#apply({ type: 'command', command: wish });
    } catch (error) {
      throw error instanceof ActivityFailure && error.cause instanceof ApplicationFailure ? error.cause : error;
    }
    if (wish.wait === 'settled') await condition(() => this.#isIdle && this.#owed.calls.every((call) => this.#inFlight.has(call.id)));
  }
  moveClock(offset: number): void {
    this.#owed = { ...this.#owed, clock: Math.max(this.#owed.clock, offset) };
    this.#changes++;
  }
  lookAgain(): void {
    this.#poked = true;
    this.#changes++;
  }

  /** A command that arrives with the start answers what is owed; a separate load would say the same. */
  async load(): Promise<void> {
    await Promise.resolve();
    await this.#queue;
    if (this.#owed.status === '') await this.#apply({ type: 'load' });
  }

  /** Whether a poke that came after the end has found something to do. */
  async isAwake(): Promise<boolean> {
    if (!this.#poked) return false;
    this.#poked = false;
    await this.#apply({ type: 'load' });
    return !this.isDone;
  }

  /** One turn: make the calls that are owed, do what is due, or wait for something to change. */
  async turn(): Promise<void> {
    const seen = this.#changes;
    const { calls, wakeAt, note } = this.#owed;
    for (const call of calls) if (!this.#inFlight.has(call.id)) void this.#ask(call);
    if (this.#poked) {
      this.#poked = false;
      await this.#apply({ type: 'load' });
    } else if (wakeAt !== null && wakeAt <= this.#now() && this.#isIdle) {
      await this.#doDue(wakeAt);
    } else if (workflowInfo().continueAsNewSuggested && this.#isIdle && allHandlersFinished()) {
      const { storeId, runId } = this.#run;
      await continueAsNew<(ref: RunRef) => Promise<void>>({ storeId, runId, clock: this.#owed.clock });
    } else {
      const deadline = this.#inFlight.size > 0 ? null : wakeAt;
      await until(
        deadline,
        () => this.#changes !== seen,
        () => this.#now(),
        note,
      );
    }
  }

  /** What is due: the call that was announced for this time, or a transition that says what it is. */
  async #doDue(wakeAt: number): Promise<void> {
    const seen = this.#changes;
    const { next, note } = this.#owed;
    if (next) return void this.#ask({ ...next, input: { ...next.input, at: this.#now() } });
    await this.#apply({ type: 'elapsed' });
    const isStuck = this.#owed.wakeAt === wakeAt && this.#owed.calls.length === 0 && !this.isDone;
    if (isStuck)
      await until(
        this.#now() + STUCK_MS,
        () => this.#changes > seen + 1,
        () => this.#now(),
        `stuck: ${note}`,
      );
  }

  #apply(event: RunEvent): Promise<void> {
    this.#waiting++;
    const mine = this.#queue.then(async () => {
      this.#adopt(await transition(this.#kind, this.#run, event, this.#now()));
    });
    this.#queue = mine
      .catch(() => undefined)
      .then(() => {
        this.#waiting--;
        this.#changes++;
      });
    return mine;
  }

  #adopt(next: Owed): void {
    show(this.#owed, next);
    this.#owed = { ...next, clock: Math.max(this.#owed.clock, next.clock) };
  }

  async #ask(call: Call): Promise<void> {
    this.#inFlight.add(call.id);
    const outcome = await outcomeOf(this.#kind, call);
    if (outcome.owed !== undefined) this.#adopt(JSON.parse(outcome.owed) as Owed);
    // A refused outcome is the row's to explain; the next load says what is owed instead.
    else await this.#apply({ type: 'outcome', callId: call.id, outcome }).catch(() => this.lookAgain());
    this.#inFlight.delete(call.id);
    this.#changes++;
  }
}

/** Waits for a business time or until `changed`. The timer's summary is what an operator reads. */
async function until(deadline: number | null, changed: () => boolean, now: () => number, summary: string): Promise<void> {
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
  // Canceled by an operator: the run closes, and the reconciler brings it back.
  if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('The run was canceled');
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
    // A local activity's refusal comes as it is, without an ActivityFailure around it; runs of before asked once more.
    if (isRefusal(error) && patched('refused-at-once')) throw error;
  }
  const visible = proxyActivities<Transitions>({
    startToCloseTimeout: '10s',
    retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '5s' },
    summary: `${summary}, waiting for Postgres`,
  });
  return visible[kind.transition]!(run, event, at);
}

const isRefusal = (error: unknown) => error instanceof ApplicationFailure && error.nonRetryable === true;
const isFinal = (error: unknown) => error instanceof ActivityFailure && isRefusal(error.cause);

/** A call whose activity is lost (worker killed, timeout) has an unknown outcome, which the transition looks up. */
async function outcomeOf(kind: Kind, call: Call): Promise<Outcome> {
  try {
    return await kind.calls[call.kind]!(call);
  } catch (error) {
    if (error instanceof ActivityFailure && !isCancellation(error)) return { kind: 'LOST' };
    throw error;
  }
}
