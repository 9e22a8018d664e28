/** Prometheus metrics. Labels are names and codes, never ids or personal data. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

export const registry = new Registry();
collectDefaultMetrics({ register: registry });
const registers = [registry];

/** Seconds per HTTP request, by declared route. */
export const httpRequests = new Histogram({
  name: 'sangjeom_http_request_seconds',
  help: 'Time to answer a request',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  registers,
});
/** Answers of payment providers, by classification. */
export const providerOutcomes = new Counter({
  name: 'sangjeom_provider_outcomes_total',
  help: 'Calls to payment providers by operation and outcome',
  labelNames: ['provider', 'operation', 'outcome'],
  registers,
});
/** Answers of payment providers about another payment than the requested one, and payment keys that another attempt has. */
export const providerMismatches = new Counter({
  name: 'sangjeom_provider_mismatches_total',
  help: 'Payments at a provider that are not ours',
  labelNames: ['provider', 'operation'],
  registers,
});
/** Attempts and refunds whose outcome stayed unknown for a day: an operator has to resolve them. */
export const unresolved = new Counter({
  name: 'sangjeom_provider_unresolved_total',
  help: 'Payments and refunds whose outcome could not be learnt',
  labelNames: ['provider', 'operation'],
  registers,
});
/** Cancels of approved payments that were made at the provider, not by us. */
export const foreignCancels = new Counter({
  name: 'sangjeom_provider_foreign_cancels_total',
  help: 'Payments that were canceled at the provider',
  labelNames: ['provider'],
  registers,
});
/** Webhook attempts by outcome: SUCCESS or an error code. */
export const deliveryOutcomes = new Counter({
  name: 'sangjeom_webhook_attempts_total',
  help: 'Webhook delivery attempts by outcome',
  labelNames: ['outcome'],
  registers,
});
/** Transitions that were put off because other stores went first: each is tried again as an ordinary activity. */
export const delayedTransitions = new Counter({
  name: 'sangjeom_transitions_delayed_total',
  help: 'Transitions that were put off because other stores went first',
  registers,
});
/** Requests of external nodes by outcome: SUCCESS or an error code. */
export const externalOutcomes = new Counter({
  name: 'sangjeom_external_calls_total',
  help: 'Requests of external nodes of flows by outcome',
  labelNames: ['outcome'],
  registers,
});
/** Requests refused with 429, by limit; never by address or person. */
export const limitRefusals = new Counter({
  name: 'sangjeom_limit_refusals_total',
  help: 'Requests that were refused with 429, by limit',
  labelNames: ['limit'],
  registers,
});

/** Bytes of request bodies that were admitted and whose requests are not answered yet. */
export const bodyBytes = new Gauge({
  name: 'sangjeom_request_body_bytes',
  help: 'Bytes under way: of request bodies, in memory or as files, and of answers',
  labelNames: ['kind'],
  registers,
});

/** Accounts of points that do not agree with their own history (db/points/check.ts). */
export const pointDifferences = new Counter({
  name: 'sangjeom_point_differences_total',
  help: 'Accounts of points that disagree with their history',
  registers,
});

/** Requests that are in no store's log, because Postgres was too slow or refused them. */
export const unloggedRequests = new Counter({
  name: 'sangjeom_api_request_log_dropped_total',
  help: 'Management requests that could not be recorded',
  registers,
});

/** Backlog of the relay and the reconciler; set at each scrape of the worker. */
export const backlog = {
  outboxRows: new Gauge({ name: 'sangjeom_outbox_rows', help: 'Messages to Temporal that wait', registers }),
  outboxLag: new Gauge({
    name: 'sangjeom_outbox_lag_seconds',
    help: 'Age of the oldest message that waits, but for deliveries to receivers that fail',
    registers,
  }),
  openRuns: new Gauge({
    name: 'sangjeom_runs_open',
    help: 'Runs that are not done, of the first 100,000',
    registers,
    labelNames: ['workflow_type'],
  }),
  unloadedRuns: new Gauge({
    name: 'sangjeom_runs_not_loaded',
    help: 'Runs without a workflow or a message for more than 30 seconds',
    registers,
  }),
  runsToRecover: new Gauge({
    name: 'sangjeom_runs_to_recover',
    help: 'Runs to bring back into a new Temporal database, at most 100,000',
    registers,
  }),
  retentionOverdueRows: new Gauge({
    name: 'sangjeom_retention_overdue_rows',
    help: 'Rows that should have been swept an hour ago',
    registers,
    labelNames: ['kind'],
  }),
  overdueRuns: new Gauge({ name: 'sangjeom_runs_overdue', help: 'Runs that should have acted a minute ago', registers }),
};
