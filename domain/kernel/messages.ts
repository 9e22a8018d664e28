/**
 * Messages of durable workflows, from tables that each feature declares in its `messages.ts`: its commands with what they say, its calls to
 * the outside with their inputs and outcomes. Ids, amounts, enumerations and times only: nothing personal.
 */

/** `{ confirm: {}, hold: { day } }` gives `{ name: 'confirm'; input: {} } | { name: 'hold'; input: { day } }`. */
export type ContentOf<Commands> = {
  readonly [N in keyof Commands & string]: { readonly name: N; readonly input: Commands[N] };
}[keyof Commands & string];

/** One call to the outside, made by the activity of its name. The id is the same each time the same call is planned. */
export type CallOf<Calls, N extends keyof Calls & string = keyof Calls & string> = {
  readonly [K in N]: {
    readonly id: string;
    readonly name: K;
    readonly storeId: string;
    readonly input: Calls[K] extends { readonly input: infer I } ? I : never;
  };
}[N];

/** How a call ended. LOST: its activity never answered, so nothing is known. */
export type OutcomeOf<Calls, N extends keyof Calls & string = keyof Calls & string> =
  | { readonly result: 'LOST' }
  | { readonly [K in N]: Calls[K] extends { readonly outcome: infer O } ? O : never }[N];

/** What a run does next. Times are business milliseconds. */
export interface PlanOf<Call> {
  /** The next time at which something must happen; null when only a command can move it. */
  readonly wakeAt: number | null;
  /** Calls to make now; each is handed back as an outcome. */
  readonly calls: readonly Call[];
  /** The call to make at `wakeAt`, where nothing else is due then: it needs no transition first. It is told the time in `at`. */
  readonly next?: Call;
  /** Nothing that anybody sees is expected at `wakeAt`: a sandbox's clock does not stop for it on its way. */
  readonly isPollOnly?: boolean;
  readonly done: boolean;
  /** In plain words, what the run waits for. */
  readonly note: string;
  readonly status: string;
}

/** What a state machine decides: the next state, what the transaction does besides, and what the run does next. */
export interface Decision<State, Effect, Call> {
  readonly state: State;
  readonly effects: readonly Effect[];
  readonly plan: PlanOf<Call>;
}
