/**
 * The one skeleton of every durable run. It owns timers and calls in flight, and no business state: facts live
 * in Postgres, and every transition answers its plan: when to wake, which calls to make. It may be terminated or reset at any await.
 */
import {
  ActivityFailure,
  type ActivityOptions,
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  condition,
  continueAsNew,
  defineSignal,
  defineUpdate,
  isCancellation,
  proxyActivities,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { Answer, Call, CallName, Command, Plan, RunEvent, RunRef, WorkflowType } from './messages.ts';
import { CLOCK_SIGNAL, COMMAND_UPDATE, WAKE_SIGNAL } from './messages.ts';
import { show } from './show.ts';
import { transition } from './transition.ts';

/** A command of a seller, a buyer or an operator, answered when its transition is committed. */
const command = defineUpdate<void, [Command]>(COMMAND_UPDATE);
/** The store's clock moved: its offset in milliseconds, which only grows. */
const clock = defineSignal<[number]>(CLOCK_SIGNAL);
/** Load the row again: sent by the reconciler and by whoever changed the row beside the run. */
const wake = defineSignal(WAKE_SIGNAL);

/** What a workflow type adds to the skeleton. */
export interface WorkflowDefinition<T extends WorkflowType> {
  readonly type: T;
  /** The plan of a new run, where the row need not be loaded for it. */
  readonly firstPlan?: (run: RunRef, firstAt: number) => Plan<T>;
  /** Where and for how long each call is tried, and how it reads in Temporal UI. */
  readonly calls: { readonly [N in CallName<T>]: (call: Call<T, N>) => ActivityOptions };
}

/** A bug could leave a run due for ever; it then loads its row once in this time instead of spinning. */
const STUCK_MS = 30_000;

/** Hosts one run until it is done. */
export async function host<T extends WorkflowType>(run: RunRef, definition: WorkflowDefinition<T>): Promise<void> {
  const hosted = new HostedRun(run, definition as unknown as AnyDefinition);
  setHandler(command, (message) => hosted.handle(message), { description: 'Carries out a command; answers when it is committed' });
  setHandler(clock, (offset) => hosted.moveClock(offset), { description: 'The clock of the sandbox store moved' });
  setHandler(wake, () => hosted.wake(), { description: 'Load the row again' });
  await hosted.load();
  do {
    while (!hosted.isDone) await hosted.turn();
    await condition(allHandlersFinished);
    // Woken while it was closing: its row may have a plan again (a refund).
  } while (await hosted.isWokenAgain());
}

/** The skeleton treats all types alike: what a call says is between its transition and its activity. */
type AnyDefinition = Omit<WorkflowDefinition<WorkflowType>, 'calls'> & {
  readonly calls: Readonly<Record<string, (call: Call) => ActivityOptions>>;
};

class HostedRun {
  readonly #run: RunRef;
  readonly #definition: AnyDefinition;
  #plan: Plan;
  /** The end of the queue of transitions: one at a time, in order of arrival. */
  #queue: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  /** Counts everything that may change what to wait for. */
  #changes = 0;
  #woken = false;
  readonly #inFlight = new Set<string>();

  constructor(run: RunRef, definition: AnyDefinition) {
    this.#run = run;
    this.#definition = definition;
    this.#plan =
      run.firstAt !== undefined && definition.firstPlan
        ? definition.firstPlan(run, run.firstAt)
        : { wakeAt: null, calls: [], done: false, clock: run.clock ?? 0, note: '', status: '' };
  }

  get isDone(): boolean {
    return this.#plan.done;
  }
  /** Business time. */
  #now(): number {
    return Date.now() + this.#plan.clock;
  }
  get #isIdle(): boolean {
    return this.#waiting === 0 && this.#inFlight.size === 0;
  }

  async handle(message: Command): Promise<void> {
    this.moveClock(message.clock);
    try {
      await this.#apply({ type: 'command', command: message });
    } catch (error) {
      throw error instanceof ActivityFailure && error.cause instanceof ApplicationFailure ? error.cause : error;
    }
    if (message.wait === 'idle') await condition(() => this.#isIdle && this.#plan.calls.every((call) => this.#inFlight.has(call.id)));
  }
  moveClock(offset: number): void {
    this.#plan = { ...this.#plan, clock: Math.max(this.#plan.clock, offset) };
    this.#changes++;
  }
  wake(): void {
    this.#woken = true;
    this.#changes++;
  }

  /** A command that arrives with the start answers the plan; a separate load would answer the same. */
  async load(): Promise<void> {
    await Promise.resolve();
    await this.#queue;
    if (this.#plan.status === '') await this.#apply({ type: 'load' });
  }

  /** Whether a wake that came after the end has found a plan. */
  async isWokenAgain(): Promise<boolean> {
    if (!this.#woken) return false;
    this.#woken = false;
    await this.#apply({ type: 'load' });
    return !this.isDone;
  }

  /** One turn: make the calls of the plan, do what is due, or wait for something to change. */
  async turn(): Promise<void> {
    const seen = this.#changes;
    const { calls, wakeAt, note } = this.#plan;
    for (const call of calls) if (!this.#inFlight.has(call.id)) void this.#makeCall(call);
    if (this.#woken) {
      this.#woken = false;
      await this.#apply({ type: 'load' });
    } else if (wakeAt !== null && wakeAt <= this.#now() && this.#isIdle) {
      await this.#doDue(wakeAt);
    } else if (workflowInfo().continueAsNewSuggested && this.#isIdle && allHandlersFinished()) {
      const { storeId, entityId } = this.#run;
      await continueAsNew<(ref: RunRef) => Promise<void>>({ storeId, entityId, clock: this.#plan.clock });
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
    const { next, note } = this.#plan;
    if (next) return void this.#makeCall({ ...next, input: { ...next.input, at: this.#now() } } as Call);
    await this.#apply({ type: 'elapsed' });
    const isStuck = this.#plan.wakeAt === wakeAt && this.#plan.calls.length === 0 && !this.isDone;
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
      this.#adopt(await transition(this.#definition.type, this.#run, event, this.#now()));
    });
    this.#queue = mine
      .catch(() => undefined)
      .then(() => {
        this.#waiting--;
        this.#changes++;
      });
    return mine;
  }

  #adopt(next: Plan): void {
    show(this.#plan, next);
    this.#plan = { ...next, clock: Math.max(this.#plan.clock, next.clock) };
  }

  async #makeCall(call: Call): Promise<void> {
    this.#inFlight.add(call.id);
    const { plan, ...outcome } = await answerOf(this.#definition, call);
    if (plan) this.#adopt(plan);
    // A refused outcome is the row's to explain; the next load answers the plan instead.
    else await this.#apply({ type: 'outcome', callId: call.id, outcome }).catch(() => this.wake());
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

/** A call whose activity is lost (worker killed, timeout) has an unknown outcome, which the transition looks up. */
async function answerOf({ calls }: AnyDefinition, call: Call): Promise<Answer> {
  try {
    return await proxyActivities<Record<string, (call: Call) => Promise<Answer>>>(calls[call.name]!(call))[call.name]!(call);
  } catch (error) {
    if (error instanceof ActivityFailure && !isCancellation(error)) return { result: 'LOST' };
    throw error;
  }
}
