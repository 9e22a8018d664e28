/** Workflows and their transitions. */
export const RUNS_QUEUE = 'runs';
/**
 * Deliveries and their calls to receivers that sellers chose: slow ones hold up nothing else. A call that is asked for on its own run's
 * queue comes back with the answer to the asking; it need not be waited for.
 */
export const DELIVERIES_QUEUE = 'webhook-deliveries';
/** The same for receivers that have failed and not recovered. */
export const YIELDING_QUEUE = 'webhook-deliveries-yielding';
/** Mail: a server that hangs holds up nothing else. */
export const MAIL_QUEUE = 'mail';
/** Questions to couriers. */
export const COURIER_QUEUE = 'courier-calls';
/** Calls to payment providers: no receiver can hold up an approval. */
export const PAYMENT_CALLS_QUEUE = 'payment-calls';
