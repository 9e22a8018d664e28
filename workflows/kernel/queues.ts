/** Workflows and their transitions. */
export const RUNS_QUEUE = 'runs';
/** Calls to receivers that sellers chose, on a queue of their own so that slow ones hold up nothing else. */
export const CALLS_QUEUE = 'calls';
/** Mail: a server that hangs holds up nothing else. */
export const MAIL_QUEUE = 'mail';
/** Questions to couriers. */
export const COURIER_QUEUE = 'courier-calls';
/** Calls to payment providers: no receiver can hold up an approval. */
export const PAYMENT_CALLS_QUEUE = 'payment-calls';
