/** Workflows and their transitions. */
export const RUNS_QUEUE = 'runs';
/** Calls to the outside, on a queue of their own so that a slow receiver cannot hold up orders. */
export const CALLS_QUEUE = 'calls';
