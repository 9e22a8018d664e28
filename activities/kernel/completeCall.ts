/** How a call that has ended makes its run's transition itself. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isOutage } from '../../db/kernel/outage.ts';
import { type Em, inTenant, REQUEST } from '../../db/kernel/tx.ts';
import { type RunTransition, transitionRun } from '../../db/runs/transition.ts';
import type { Answer, Outcome, RunEvent, WorkflowType } from '../../workflows/kernel/messages.ts';
import type { ActivityDeps } from './deps.ts';

/** The business time at which a call was planned; a real store's is never behind the real clock. */
export const plannedAt = ({ input }: { readonly input: { readonly at: number } }, { clock }: ActivityDeps): number =>
  Math.max(input.at, clock.now());

export interface Ended<T extends WorkflowType> {
  readonly entityId: string;
  readonly outcome: Outcome<T>;
  /** Business time at which it ended. */
  readonly at: number;
  /** Writes what the call has learned, where its transition does not. */
  readonly record?: (em: Em) => Promise<unknown>;
}

/**
 * Records what a call has learned and takes it in, in one transaction; the plan since goes along with the outcome. What was
 * done is worth remembering through a short outage of Postgres: the activity has time for it. May run twice: the row's own state tells.
 */
export async function completeCall<T extends WorkflowType>(
  { orm, clock }: ActivityDeps,
  definition: RunTransition<T>,
  call: { readonly id: string; readonly storeId: string },
  ended: Ended<T>,
): Promise<Answer<T>> {
  const { entityId, outcome, at, record } = ended;
  const event: RunEvent<T> = { type: 'outcome', callId: call.id, outcome };
  const plan = await retryOnOutage(() =>
    inTenant(orm, call.storeId, REQUEST, async (em) => {
      await record?.(em);
      return transitionRun(em, definition, { storeId: call.storeId, entityId }, event, at, clock);
    }),
  );
  return { ...(outcome as object), plan } as Answer<T>;
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
