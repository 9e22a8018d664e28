/** Runs the transition of a workflow type in one transaction, and classifies failures as refusals, outages or bugs. */
import { ApplicationFailure } from '@temporalio/activity';
import { inTenant, TRANSITION } from '../../db/kernel/tx.ts';
import { originOf } from '../../db/runs/origin.ts';
import { type RunTransition, transitionRun } from '../../db/runs/transition.ts';
import { failpoint } from '../../db/kernel/failpoint.ts';
import { delayedTransitions } from '../../db/kernel/metrics.ts';
import { isOutage, sqlState } from '../../db/kernel/outage.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import {
  type BriefCallName,
  type BriefCalls,
  type CallName,
  type Calls,
  type Plan,
  type RunEvent,
  type RunRef,
  type TransitionName,
  transitionName,
  type WorkflowType,
  WORKFLOWS,
} from '../../workflows/kernel/messages.ts';
import type { ActivityDeps } from './deps.ts';
import { DelayedTurn } from './places.ts';

/** What the activities of a workflow type are beside its transition (db/transitions.ts). */
export type RunActivities<T extends WorkflowType> = {
  /** Where its activity does more than the transition. */
  readonly transition?: (deps: ActivityDeps) => RunTransition<T>;
} & ([CallName<T>] extends [never] ? { readonly calls?: never } : { readonly calls: (deps: ActivityDeps) => Calls<T> }) &
  ([BriefCallName<T>] extends [never]
    ? { readonly brief?: never }
    : { /** `calls`: the ordinary ones, which it may shorten. */ readonly brief: (deps: ActivityDeps, calls: Calls<T>) => BriefCalls<T> });

/** The transition activity of a workflow type, by its name. Idempotent: through the operation row and the row's own state. */
export function transitionActivity<T extends WorkflowType>(deps: ActivityDeps, definition: RunTransition<T>) {
  const { workflowType } = definition;
  const { priority } = WORKFLOWS[workflowType];
  const transact = async (run: RunRef, event: RunEvent<T>, at: number): Promise<Plan<T>> => {
    const what = `${run.entityId}.${event.type === 'command' ? event.command.name : event.type}`;
    const tenancy = { storeId: run.storeId, at, realNow: deps.clock.now(), origin: originOf(event) };
    const plan = await inTenant(deps.orm, tenancy, TRANSITION, async (tx) => {
      const answer = await transitionRun(tx, definition, run, event, deps);
      failpoint('transition.before-commit', what);
      return answer;
    });
    failpoint('transition.after-commit', what);
    return plan;
  };
  const work = async (run: RunRef, event: RunEvent<T>, at: number): Promise<Plan<T>> => {
    try {
      const isAwaited = event.type !== 'elapsed';
      return await deps.places.take({ storeId: run.storeId, priority, isAwaited }, () => transact(run, event, at));
    } catch (error) {
      throw failureFor(error, event, deps, run);
    }
  };
  return { [transitionName(workflowType)]: work } as { readonly [N in TransitionName<T>]: typeof work };
}

function failureFor(error: unknown, event: { readonly type: RunEvent['type'] }, { log }: ActivityDeps, run: RunRef): ApplicationFailure {
  if (error instanceof Fault)
    return ApplicationFailure.create({ type: error.code, message: error.code, nonRetryable: true, details: [error.extra] });
  if (error instanceof DelayedTurn) {
    delayedTransitions.inc();
    return ApplicationFailure.create({ type: 'DELAYED', message: 'Other stores go first' });
  }
  const outage = isOutage(error);
  if (!outage) log.error({ err: error, storeId: run.storeId, entityId: run.entityId }, 'transition failed');
  const final = !outage && event.type === 'command';
  // Messages of Postgres quote values: only its SQLSTATE may reach Temporal.
  const message = outage ? `Postgres is out of reach (${sqlState(error) ?? 'no connection'})` : 'INTERNAL';
  return ApplicationFailure.create({ type: outage ? 'OUTAGE' : 'INTERNAL', message, nonRetryable: final });
}
