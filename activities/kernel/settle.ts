/** How a call that has ended makes its run's transition itself. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isOutage } from '../../db/kernel/outage.ts';
import { type Em, inStore, REQUEST } from '../../db/orm.ts';
import { type KindOfRun, transition } from '../../db/runs/store.ts';
import type { Call, Outcome } from '../../workflows/kernel/obligations.ts';
import type { ActivityDeps } from './deps.ts';

/** The business time at which a call was owed; a real store's is never behind the real clock. */
export const owedAt = ({ input }: Call, { clock }: ActivityDeps): number => Math.max(Number(input['at'] ?? 0), clock.now());

export interface Ended {
  readonly runId: string;
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
export async function settle({ orm, clock }: ActivityDeps, kind: KindOfRun, call: Call, ended: Ended): Promise<Outcome> {
  const { runId, outcome, at, record } = ended;
  const event = { type: 'outcome', callId: call.id, outcome } as const;
  const owed = await patiently(() =>
    inStore(orm, call.storeId, REQUEST, async (em) => {
      await record?.(em);
      return transition(em, kind, { storeId: call.storeId, runId }, event, at, clock);
    }),
  );
  return { ...outcome, owed: JSON.stringify(owed) };
}

export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === 4 || !isOutage(error)) throw error;
      await sleep(1000);
    }
  }
}
