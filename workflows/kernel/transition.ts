/** Runs a transition as an activity. */
import { ActivityFailure, ApplicationFailure, isCancellation, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import { type Plan, type RunEvent, type RunRef, type TransitionName, transitionName, type WorkflowType } from './messages.ts';

type Transition = (run: RunRef, event: RunEvent, at: number) => Promise<Plan>;

/** What operators read in Temporal's list of activities. */
function summaryOf(event: RunEvent): string {
  if (event.type === 'command') return event.command.name;
  return event.type === 'outcome' ? event.outcome.result : event.type;
}

/**
 * Runs a transition as a local activity. When that fails retryably (an outage of Postgres, a timeout, other stores that go first; any error
 * unless the event is a command), as an ordinary activity with unlimited retries, which operators see as pending with its last failure.
 */
export async function transition(type: WorkflowType, run: RunRef, event: RunEvent, at: number): Promise<Plan> {
  const summary = summaryOf(event);
  const quick = proxyLocalActivities<Record<TransitionName, Transition>>({
    startToCloseTimeout: '2s',
    retry: { maximumAttempts: 1 },
    summary,
  });
  try {
    return await quick[transitionName(type)](run, event, at);
  } catch (error) {
    // The failure of a local activity is not wrapped in an ActivityFailure.
    if (isCancellation(error) || isFinal(error) || isRefusal(error)) throw error;
  }
  const visible = proxyActivities<Record<TransitionName, Transition>>({
    startToCloseTimeout: '10s',
    retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '5s' },
    summary: `${summary}, waiting for Postgres or its turn`,
  });
  return withoutBrief(await visible[transitionName(type)](run, event, at));
}

/**
 * A brief call is made in the workflow task of its transition, or else not briefly: Postgres is slow, and a repeat would not load again.
 */
const withoutBrief = (plan: Plan): Plan => ({
  ...plan,
  calls: plan.calls.map((one) => {
    const { isBrief: _, ...call } = one;
    return call;
  }),
});

const isRefusal = (error: unknown) => error instanceof ApplicationFailure && error.nonRetryable === true;
const isFinal = (error: unknown) => error instanceof ActivityFailure && isRefusal(error.cause);
