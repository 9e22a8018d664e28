/** How a call that has ended makes its run's transition itself. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isOutage } from '../../db/kernel/outage.ts';
import { type Em, inTenant, REQUEST } from '../../db/kernel/tx.ts';
import { type RunTransition, transitionRun } from '../../db/runs/transition.ts';
import type { Call, Outcome } from '../../workflows/kernel/messages.ts';
import type { ActivityDeps } from './deps.ts';

/** The business time at which a call was owed; a real store's is never behind the real clock. */
export const plannedAt = ({ input }: Call, { clock }: ActivityDeps): number => Math.max(Number(input['at'] ?? 0), clock.now());

export interface Ended {
  readonly entityId: string;
  readonly outcome: Outcome;
  /** Business time at which it ended. */
  readonly at: number;
  /** Writes what the call has learned, where its transition does not. */
  readonly record?: (em: Em) => Promise<unknown>;
}

/**
 * Records what a call has learned and takes it in, in one transaction; what the run owes since goes along with the outcome. What was
 * done is worth remembering through a short outage of Postgres: the activity has time for it. May run twice: the row's own state tells.
 */
export async function completeCall({ orm, clock }: ActivityDeps, definition: RunTransition, call: Call, ended: Ended): Promise<Outcome> {
  const { entityId, outcome, at, record } = ended;
  const event = { type: 'outcome', callId: call.id, outcome } as const;
  const plan = await retryOnOutage(() =>
    inTenant(orm, call.storeId, REQUEST, async (em) => {
      await record?.(em);
      return transitionRun(em, definition, { storeId: call.storeId, entityId }, event, at, clock);
    }),
  );
  return { ...outcome, plan: JSON.stringify(plan) };
}

/** Tries again through a short outage of Postgres: three times, a second apart. */
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
