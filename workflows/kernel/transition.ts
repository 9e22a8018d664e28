/** How the skeleton runs a transition. */
import { ActivityFailure, ApplicationFailure, isCancellation, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import { type Plan, type RunEvent, type RunRef, type TransitionName, transitionName, type WorkflowType } from './messages.ts';

type Transition = (run: RunRef, event: RunEvent, at: number) => Promise<Plan>;

/**
 * Runs a transition quickly, as a local activity; when Postgres is out of reach, or on a deadline whatever the
 * error, as an ordinary activity that an operator sees pending with its last failure, for as long as it takes.
 */
export async function transition(type: WorkflowType, run: RunRef, event: RunEvent, at: number): Promise<Plan> {
  const summary = event.type === 'command' ? event.command.name : event.type === 'outcome' ? event.outcome.result : event.type;
  const quick = proxyLocalActivities<Record<TransitionName, Transition>>({
    startToCloseTimeout: '2s',
    retry: { maximumAttempts: 1 },
    summary,
  });
  try {
    return await quick[transitionName(type)](run, event, at);
  } catch (error) {
    // A local activity's refusal comes as it is, without an ActivityFailure around it.
    if (isCancellation(error) || isFinal(error) || isRefusal(error)) throw error;
  }
  const visible = proxyActivities<Record<TransitionName, Transition>>({
    startToCloseTimeout: '10s',
    retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '5s' },
    summary: `${summary}, waiting for Postgres`,
  });
  return visible[transitionName(type)](run, event, at);
}

const isRefusal = (error: unknown) => error instanceof ApplicationFailure && error.nonRetryable === true;
const isFinal = (error: unknown) => error instanceof ActivityFailure && isRefusal(error.cause);
