/** The task queues of workflows. Those of calls are in `WORKFLOWS` (messages.ts). */

/** Workflows and their transitions, except those of deliveries. */
export const RUNS_QUEUE = 'runs';
/**
 * Workflows of deliveries and their calls to receivers: a slow receiver delays nothing else. A call is scheduled on the task queue of its
 * own workflow, so that eager activity dispatch applies: the activity task comes with the response to the workflow task.
 */
export const DELIVERIES_QUEUE = 'webhook-deliveries';
/** The same for receivers that fail and have not recovered. */
export const YIELDING_QUEUE = 'webhook-deliveries-yielding';
