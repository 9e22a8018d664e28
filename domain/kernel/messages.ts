/**
 * Messages of workflows. Each feature declares its commands with their inputs, and its external calls with their inputs and outcomes: in
 * its `machine.ts`, or in `messages.ts` beside it where they fill a page. They carry ids, amounts, enumerations and times only: nothing
 * personal.
 */

/** `{ confirm: {}, hold: { day } }` gives `{ name: 'confirm'; input: {} } | { name: 'hold'; input: { day } }`. */
export type ContentOf<Commands> = {
  readonly [N in keyof Commands & string]: { readonly name: N; readonly input: Commands[N] };
}[keyof Commands & string];

/** One external call, made by the activity of its name. A call that is planned again keeps its id. */
export type CallOf<Calls, N extends keyof Calls & string = keyof Calls & string> = {
  readonly [K in N]: {
    readonly id: string;
    readonly name: K;
    readonly storeId: string;
    readonly input: Calls[K] extends { readonly input: infer I } ? I : never;
    /** Somebody waits for its outcome, which is expected within BRIEF_MS (`workflows/kernel/messages.ts`); of `BriefName` only. */
    readonly isBrief?: Calls[K] extends { readonly brief: true } ? true : never;
  };
}[N];

/** The names of the calls that are declared as `brief: true`: a plan may have them made briefly. */
export type BriefName<Calls> = {
  readonly [K in keyof Calls & string]: Calls[K] extends { readonly brief: true } ? K : never;
}[keyof Calls & string];

/** How a call ended. LOST: its activity timed out or its worker died, so the outcome is unknown. */
export type OutcomeOf<Calls, N extends keyof Calls & string = keyof Calls & string> =
  | { readonly result: 'LOST' }
  | { readonly [K in N]: Calls[K] extends { readonly outcome: infer O } ? O : never }[N];

/** What a run does next. Times are business milliseconds. */
export interface PlanOf<Call> {
  /** The time of the next timer; null when the run waits for commands only. */
  readonly wakeAt: number | null;
  /** Calls to make now; the end of each comes back as an `outcome` event. */
  readonly calls: readonly Call[];
  /** The call to make at `wakeAt`, where nothing else is due then: it needs no transition first. Its input `at` is set to the time. */
  readonly next?: Call;
  /** Nothing visible to clients is expected at `wakeAt`: an advance of a sandbox clock does not stop there. */
  readonly isPollOnly?: boolean;
  /**
   * When the `elapsed` transition is due even while a call is in flight, whose late outcome the transition drops. Absent or null: what is
   * due waits for the calls, as the expiry of a payment waits for its confirm (D40).
   */
  readonly deadline?: number | null;
  readonly done: boolean;
  /** What the run waits for, in a sentence: operators read it in Temporal UI. */
  readonly note: string;
  readonly status: string;
}

/** What a state machine decides: the next state, the effects for the transaction, and the run's plan. */
export interface Decision<State, Effect, Call> {
  readonly state: State;
  readonly effects: readonly Effect[];
  readonly plan: PlanOf<Call>;
}
