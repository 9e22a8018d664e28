/** Calls that make the transition of their outcome themselves, in the activity; why, says docs/architecture.md#calls. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isOutage } from '../../db/kernel/outage.ts';
import { inTenant, REQUEST, type Tx } from '../../db/kernel/tx.ts';
import { type RunTransition, transitionRun } from '../../db/runs/transition.ts';
import type { Answer, Outcome, RunEvent, WorkflowType } from '../../workflows/kernel/messages.ts';
import type { ActivityDeps } from './deps.ts';

/** The business time of a call: the planned time, or the real time where that is later. */
export const plannedAt = ({ input }: { readonly input: { readonly at: number } }, { clock }: ActivityDeps): number =>
  Math.max(input.at, clock.now());

export interface Ended<T extends WorkflowType> {
  readonly entityId: string;
  readonly outcome: Outcome<T>;
  /** Business time at which it ended. */
  readonly at: number;
  /** How far the store's clock was ahead when the call was planned, where the transition asks for it. */
  readonly clock?: number | undefined;
  /** Writes the result of the call, where the transition does not. */
  readonly record?: (tx: Tx) => Promise<unknown>;
}

/**
 * Records the result of a call and makes the run's transition, in one transaction; returns the outcome with the new plan. Retries through
 * a short outage of Postgres, because the call itself is not repeated. May run twice: a callId that the row no longer expects is ignored.
 */
export async function completeCall<T extends WorkflowType>(
  { orm, clock, keyring, places }: ActivityDeps,
  definition: RunTransition<T>,
  call: { readonly id: string; readonly storeId: string },
  ended: Ended<T>,
): Promise<Answer<T>> {
  const { entityId, outcome, at, clock: known, record } = ended;
  const run = { storeId: call.storeId, entityId, ...(known !== undefined && { clock: known }) };
  const event: RunEvent<T> = { type: 'outcome', callId: call.id, outcome };
  const plan = await retryOnOutage(() =>
    places.metered(call.storeId, () =>
      inTenant(orm, { storeId: call.storeId, at, realNow: clock.now() }, REQUEST, async (tx) => {
        await record?.(tx);
        return transitionRun(tx, definition, run, event, { clock, keyring });
      }),
    ),
  );
  return { ...(outcome as object), plan } as Answer<T>;
}

/** Retries on an outage of Postgres: three times, a second apart. */
export async function retryOnOutage<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === 4 || !isOutage(error)) throw error;
      await sleep(1000);
    }
  }
}
