/** What runs and transitions say to each other. Ids, amounts, enumerations and times only: nothing personal. */

/**
 * A run: the store and the id of the row that it owns. `clock` only after continue-as-new. `firstAt`: the business time at which it
 * first owes something, told at its birth, for kinds that know from it alone what that is.
 */
export interface RunRef {
  readonly storeId: string;
  readonly runId: string;
  readonly clock?: number;
  readonly firstAt?: number;
}

/** What a run owes after a transition. Times are business milliseconds. */
export interface Owed {
  /** The next time at which something must happen; null when only a command can move it. */
  readonly wakeAt: number | null;
  /** Calls to make now; each is handed back as an outcome. */
  readonly calls: readonly Call[];
  /** The call to make at `wakeAt`, where nothing else is due then: it needs no transition first. It is told the time in `at`. */
  readonly next?: Call;
  /** Nothing that anybody sees is expected at `wakeAt`: a sandbox's clock does not stop for it on its way. */
  readonly isIdle?: boolean;
  readonly done: boolean;
  /** The store's clock offset; 0 outside sandboxes. */
  readonly clock: number;
  /** In plain words, what the run waits for. */
  readonly note: string;
  readonly status: string;
}

/** One call to the outside. The id is the same each time the same call is owed. */
export interface Call {
  readonly id: string;
  readonly kind: string;
  readonly storeId: string;
  readonly input: Readonly<Record<string, string | number>>;
}

/**
 * How a call ended. LOST: its activity never answered, so nothing is known. `owed`: the call has made the run's transition itself, in the
 * transaction that recorded its outcome; what the run owes since, as JSON.
 */
export interface Outcome {
  readonly kind: string;
  readonly owed?: string;
  readonly [field: string]: string | number | boolean | null | undefined;
}

/** A wish that changes a row which a run owns (architecture.md § Commands). */
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
  /** `settled` also waits until no call is in flight. */
  readonly wait?: 'committed' | 'settled';
}

export type RunEvent =
  | { readonly type: 'load' }
  | { readonly type: 'elapsed' }
  | { readonly type: 'command'; readonly command: Command }
  | { readonly type: 'outcome'; readonly callId: string; readonly outcome: Outcome };

/** The names of the workflow types; each has one folder, one transition and one line in `run`. */
export type RunKind = 'orderItem' | 'payment' | 'webhookDelivery' | 'webhookSubscription' | 'invitation';
