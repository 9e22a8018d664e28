/** What processes count, in the format that Prometheus reads. Labels are names and codes, never ids or people. */
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
/** Answers of payment providers, as we classified them. */
export const providerOutcomes = new Counter({
  name: 'sangjeom_provider_outcomes_total',
  help: 'Calls to payment providers by operation and outcome',
  labelNames: ['provider', 'operation', 'outcome'],
  registers,
});
/** Answers of payment providers about another payment than the one that was asked for, and payment keys that another attempt has (X17). */
export const providerMismatches = new Counter({
  name: 'sangjeom_provider_mismatches_total',
  help: 'Payments at a provider that are not ours',
  labelNames: ['provider', 'operation'],
  registers,
});
/** What was looked up for a day and given up: an operator has to look. */
export const unresolved = new Counter({
  name: 'sangjeom_provider_unresolved_total',
  help: 'Payments and refunds whose outcome could not be learnt',
  labelNames: ['provider', 'operation'],
  registers,
});
/** How attempts to deliver a webhook ended: SUCCESS or an error code. */
export const deliveryOutcomes = new Counter({
  name: 'sangjeom_webhook_attempts_total',
  help: 'Webhook delivery attempts by outcome',
  labelNames: ['outcome'],
  registers,
});
/** Requests that a limit refused, by limit: never by address or person. */
export const limitRefusals = new Counter({
  name: 'sangjeom_limit_refusals_total',
  help: 'Requests that were refused with 429, by limit',
  labelNames: ['limit'],
  registers,
});

/** What the relay and the reconciler are behind with; set by whoever is about to be scraped. */
export const backlog = {
  outboxRows: new Gauge({ name: 'sangjeom_outbox_rows', help: 'Messages to Temporal that wait', registers }),
  outboxLag: new Gauge({ name: 'sangjeom_outbox_lag_seconds', help: 'Age of the oldest message that waits', registers }),
  openRuns: new Gauge({
    name: 'sangjeom_runs_open',
    help: 'Runs that are not done, of the first 100,000',
    registers,
    labelNames: ['workflow_type'],
  }),
  unloadedRuns: new Gauge({ name: 'sangjeom_runs_not_loaded', help: 'Runs without a workflow for more than 30 seconds', registers }),
  runsToRecover: new Gauge({
    name: 'sangjeom_runs_to_recover',
    help: 'Runs to bring back into a new Temporal database, at most 100,000',
    registers,
  }),
  leftOver: new Gauge({
    name: 'sangjeom_left_over',
    help: 'Rows that should have been swept an hour ago',
    registers,
    labelNames: ['kind'],
  }),
  overdueRuns: new Gauge({ name: 'sangjeom_runs_overdue', help: 'Runs that should have acted a minute ago', registers }),
};
