/** Runs a kind's transition in one transaction, and sorts failures into refusals, outages and bugs. */
import { ApplicationFailure } from '@temporalio/activity';
import { inTenant, TRANSITION } from '../../db/kernel/tx.ts';
import { type RunTransition, transitionRun } from '../../db/runs/transition.ts';
import { failpoint } from '../../db/kernel/failpoint.ts';
import { isOutage, sqlState } from '../../db/kernel/outage.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import {
  type Plan,
  type RunEvent,
  type RunRef,
  type TransitionName,
  transitionName,
  type WorkflowType,
} from '../../workflows/kernel/messages.ts';
import type { ActivityDeps } from './deps.ts';

/** The transition activity of a workflow type, under its name. May run twice: the operation row and the row's own state make that harmless. */
export function transitionActivity<T extends WorkflowType>(deps: ActivityDeps, definition: RunTransition<T>) {
  const work = async (run: RunRef, event: RunEvent<T>, at: number): Promise<Plan<T>> => {
    try {
      const plan = await inTenant(deps.orm, run.storeId, TRANSITION, async (em) => {
        const answer = await transitionRun(em, definition, run, event, at, deps.clock);
        failpoint('transition.before-commit');
        return answer;
      });
      failpoint('transition.after-commit');
      return plan;
    } catch (error) {
      throw failureFor(error, event, deps, run);
    }
  };
  return { [transitionName(definition.workflowType)]: work } as { readonly [N in TransitionName<T>]: typeof work };
}

function failureFor(error: unknown, event: { readonly type: RunEvent['type'] }, { log }: ActivityDeps, run: RunRef): ApplicationFailure {
  if (error instanceof Fault)
    return ApplicationFailure.create({ type: error.code, message: error.code, nonRetryable: true, details: [error.extra] });
  const outage = isOutage(error);
  if (!outage) log.error({ err: error, storeId: run.storeId, runId: run.entityId }, 'transition failed');
  const final = !outage && event.type === 'command';
  // Postgres quotes values in its messages: only its code may reach Temporal.
  const told = outage ? `Postgres is out of reach (${sqlState(error) ?? 'no connection'})` : 'INTERNAL';
  return ApplicationFailure.create({ type: outage ? 'OUTAGE' : 'INTERNAL', message: told, nonRetryable: final });
}
