/**
 * The one skeleton of all workflow types. It owns timers and calls in flight, and no business state: that is in Postgres, and every
 * transition returns the plan: when to wake, which calls to make. It may be terminated or reset at any await.
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
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import { type CallTimes, makeCall } from './call.ts';
import { summaryOf, type WorkflowDefinition } from './definition.ts';
import type { Call, Command, CommandResult, Plan, RunEvent, RunRef, WorkflowType } from './messages.ts';
import { CLOCK_SIGNAL, COMMAND_UPDATE, WAKE_SIGNAL } from './messages.ts';
import { show } from './show.ts';
import { transition } from './transition.ts';

/** A command of a seller, a buyer or an operator; the update completes when its transition is committed. */
const command = defineUpdate<CommandResult, [Command]>(COMMAND_UPDATE);
/** The sandbox clock was advanced: the offset in milliseconds, which only grows. */
const clock = defineSignal<[number]>(CLOCK_SIGNAL);
/** Load the row again: sent by the reconciler, and by the outbox when the row was changed outside the run. */
const wake = defineSignal(WAKE_SIGNAL);

/** The function of a workflow type that says no more than its calls. */
export const workflow =
  <T extends WorkflowType>(type: T, definition: Omit<WorkflowDefinition<T>, 'type'>) =>
  (run: RunRef): Promise<void> =>
    host(run, { type, ...definition });

/** A bug could leave a run due forever; it then makes one transition in this time instead of looping. */
const STUCK_MS = 30_000;
/**
 * No call takes longer. A deadline that is further away costs no timer beside the call; should a call wait that long for a worker, the
 * reconciler wakes the run.
 */
const LONGEST_CALL_MS = 600_000;

/** Runs one workflow until its plan is done. */
export async function host<T extends WorkflowType>(run: RunRef, { calls, ...definition }: WorkflowDefinition<T>): Promise<void> {
  const hosted = new HostedRun(run, { ...definition, summarize: (call) => summaryOf(calls, call) });
  setHandler(command, (message) => hosted.handle(message), { description: 'Carries out a command; answers when it is committed' });
  setHandler(clock, (offset) => hosted.advanceClock(offset), { description: 'The clock of the sandbox store moved' });
  setHandler(wake, () => hosted.wake(), { description: 'Load the row again' });
  await hosted.load();
  do {
    while (!hosted.isDone) await hosted.turn();
    await condition(allHandlersFinished);
    // Woken before it closed: its row may have something to do again (a refund).
  } while (await hosted.isWokenAgain());
}

/** A definition to the skeleton, which is not generic over types: inputs and outcomes of calls matter to transition and activity only. */
interface Hosted extends Pick<WorkflowDefinition<WorkflowType>, 'type' | 'firstPlan'> {
  readonly times: CallTimes | null;
  readonly summarize: (call: Call) => string;
}

class HostedRun {
  readonly #run: RunRef;
  readonly #definition: Hosted;
  #plan: Plan;
  /** Settles when the last queued transition has ended: they run one at a time, in order of arrival. */
  #queue: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  /** Counts the changes that may end the current wait. */
  #changes = 0;
  #woken = false;
  readonly #inFlight = new Set<string>();

  constructor(run: RunRef, definition: Hosted) {
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

  async handle(message: Command): Promise<CommandResult> {
    this.advanceClock(message.clock);
    try {
      await this.#apply({ type: 'command', command: message });
    } catch (error) {
      throw error instanceof ActivityFailure && error.cause instanceof ApplicationFailure ? error.cause : error;
    }
    if (message.wait === 'idle') await condition(() => this.#isIdle && this.#plan.calls.every((call) => this.#inFlight.has(call.id)));
    return { status: this.#plan.status };
  }
  advanceClock(offset: number): void {
    this.#plan = { ...this.#plan, clock: Math.max(this.#plan.clock, offset) };
    this.#changes++;
  }
  wake(): void {
    this.#woken = true;
    this.#changes++;
  }

  /** Loads the row, unless a command that came with the start (update-with-start) has returned a plan already. */
  async load(): Promise<void> {
    await Promise.resolve();
    await this.#queue;
    if (this.#plan.status === '') await this.#apply({ type: 'load' });
  }

  /** Loads the row after a wake that came when the run was done; true when it has something to do again. */
  async isWokenAgain(): Promise<boolean> {
    if (!this.#woken) return false;
    this.#woken = false;
    await this.#apply({ type: 'load' });
    return !this.isDone;
  }

  /** One iteration: starts the calls of the plan, does what is due, or waits for a change. */
  async turn(): Promise<void> {
    const seen = this.#changes;
    const { calls, wakeAt } = this.#plan;
    for (const call of calls) if (!this.#inFlight.has(call.id)) void this.#makeCall(call);
    const deadline = this.#deadline;
    if (this.#woken) {
      this.#woken = false;
      await this.#apply({ type: 'load' });
    } else if (wakeAt !== null && wakeAt <= this.#now() && this.#isIdle) {
      await this.#doDue(wakeAt);
    } else if (deadline !== null && deadline <= this.#now() && this.#waiting === 0) {
      await this.#elapse(() => this.#plan.deadline === deadline);
    } else if (workflowInfo().continueAsNewSuggested && this.#isIdle && allHandlersFinished()) {
      const { storeId, entityId } = this.#run;
      await continueAsNew<(ref: RunRef) => Promise<void>>({ storeId, entityId, clock: this.#plan.clock });
    } else {
      await this.#waitForChange(seen, deadline);
    }
  }
  /** A due deadline waits for the transitions in front of it. */
  #waitForChange(seen: number, deadline: number | null): Promise<void> {
    const { wakeAt, note } = this.#plan;
    const beside = deadline !== null && deadline > this.#now() ? deadline : null;
    return until(
      this.#inFlight.size > 0 ? beside : wakeAt,
      () => this.#changes !== seen,
      () => this.#now(),
      note,
    );
  }

  /** The plan's deadline while calls are in flight, which do not hold it up; null where nothing is due beside them. */
  get #deadline(): number | null {
    const at = this.#plan.deadline ?? null;
    if (this.#inFlight.size === 0 || at === null || at > this.#now() + LONGEST_CALL_MS) return null;
    // Runs of before have no timer there.
    return patched('deadline-beside-calls') ? at : null;
  }

  /** Makes the call that was planned for this time (`next`), or the `elapsed` transition. */
  async #doDue(wakeAt: number): Promise<void> {
    const { next } = this.#plan;
    if (next) return void this.#makeCall({ ...next, input: { ...next.input, at: this.#now() } } as Call);
    await this.#elapse(() => this.#plan.wakeAt === wakeAt && this.#plan.calls.length === 0);
  }

  /** The `elapsed` transition, and a pause where the same is due after it. */
  async #elapse(isDueAgain: () => boolean): Promise<void> {
    const seen = this.#changes;
    const { note } = this.#plan;
    await this.#apply({ type: 'elapsed' });
    if (isDueAgain() && !this.isDone)
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
      const { storeId, entityId } = this.#run;
      this.#adopt(await transition(this.#definition.type, { storeId, entityId, clock: this.#plan.clock }, event, this.#now()));
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
    const { type, times, summarize } = this.#definition;
    const { plan, ...outcome } = await makeCall(type, call, times!, summarize(call));
    if (plan) this.#adopt(plan);
    // A transition that refuses the outcome: load the row for a new plan.
    else await this.#apply({ type: 'outcome', callId: call.id, outcome }).catch(() => this.wake());
    this.#inFlight.delete(call.id);
    this.#changes++;
  }
}

/** Waits until a business time or until `changed`. Operators read `summary` in Temporal UI. */
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
  // Canceled by an operator: the workflow closes, and the reconciler starts it again.
  if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('The run was canceled');
}
