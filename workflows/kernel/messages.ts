/** The messages between API, runs and activities. Ids, amounts, enumerations and times only: nothing personal. */

/**
 * A run: the store and the id of the row that it owns. `clock` only after continue-as-new. `firstAt`: the business time at which it
 * first has something to do; only at its start, for types whose first plan follows from it alone.
 */
export interface RunRef {
  readonly storeId: string;
  readonly entityId: string;
  readonly clock?: number;
  readonly firstAt?: number;
}

/** What a run does next, as its transition decided. Times are business milliseconds. */
export interface Plan {
  /** The next time at which something must happen; null when only a command can move it. */
  readonly wakeAt: number | null;
  /** Calls to make now; each is handed back as an outcome. */
  readonly calls: readonly Call[];
  /** The call to make at `wakeAt`, where nothing else is due then: it needs no transition first. It is told the time in `at`. */
  readonly next?: Call;
  /** Nothing that anybody sees is expected at `wakeAt`: a sandbox's clock does not stop for it on its way. */
  readonly isPollOnly?: boolean;
  readonly done: boolean;
  /** The store's clock offset; 0 outside sandboxes. */
  readonly clock: number;
  /** In plain words, what the run waits for. */
  readonly note: string;
  readonly status: string;
}

/** One call to the outside. The id is the same each time the same call is planned. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly storeId: string;
  readonly input: Readonly<Record<string, string | number>>;
}

/**
 * How a call ended. LOST: its activity never answered, so nothing is known. `plan`: the call has made the run's transition itself, in the
 * transaction that recorded its outcome; the plan since, as JSON.
 */
export interface Outcome {
  readonly result: string;
  readonly plan?: string;
  readonly [field: string]: string | number | boolean | null | undefined;
}

/** A change of a row which a run owns (architecture.md § Commands). */
export interface Command {
  readonly operation: { readonly principal: string; readonly key: string; readonly id: string; readonly fingerprint: string };
  readonly requestId: string;
  readonly actor: string;
  /** The store's clock offset as the API knows it: a run that this command starts has not heard of it yet. */
  readonly clock: number;
  /** Real time; a command that reaches its transition later is refused. */
  readonly notAfter: number;
  readonly name: string;
  readonly input: Readonly<Record<string, string | number | boolean | null>>;
  /** `idle` also waits until no call is in flight. */
  readonly wait?: 'committed' | 'idle';
}

export type RunEvent =
  | { readonly type: 'load' }
  | { readonly type: 'elapsed' }
  | { readonly type: 'command'; readonly command: Command }
  | { readonly type: 'outcome'; readonly callId: string; readonly outcome: Outcome };

/** The names of the workflow types; each has one folder, one transition and one line in `run`. */
export type WorkflowType = 'orderItem' | 'payment' | 'webhookDelivery' | 'webhookSubscription' | 'invitation';
