/** Calls that wait for credentials which the provider accepts. */
import { LockMode } from '@mikro-orm/core';
import { decide } from '../../domain/payments/machine.ts';
import type { Environment, ProviderName } from '../../domain/payments/providers.ts';
import type { Tx } from '../kernel/tx.ts';
import { reopenRun } from '../runs/commands.ts';
import { PaymentEntity } from './entities.ts';
import { paymentRun } from './queries.ts';
import { stateOf, writeState } from './rows.ts';

/** More are due within an hour by themselves. */
const MAX_RESUMED = 500;

/** Makes calls that wait for credentials of this provider and environment due, and wakes their runs; for the caller that verified a set. */
export async function resumeBlocked(tx: Tx, provider: ProviderName, environment: Environment): Promise<void> {
  const { em, sql, storeId, at } = tx;
  await em.flush();
  const blocked = await sql<{ payment_id: string }>`
    SELECT p.payment_id FROM payment p JOIN payment_attempt a ON a.store_id = p.store_id AND a.attempt_id = p.call ->> 'attemptId'
    WHERE p.store_id = ${storeId} AND (p.call ->> 'isBlocked') = 'true' AND a.pg = ${provider} AND a.environment = ${environment}
    ORDER BY p.payment_id LIMIT ${MAX_RESUMED}`;
  for (const { payment_id: paymentId } of blocked) {
    const payment = await em.findOneOrFail(PaymentEntity, { storeId, paymentId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    const rows = { payment, attempt: null, refund: null };
    const { state } = decide(stateOf(rows), { type: 'credentialsVerified' }, at);
    // An outcome that was committed meanwhile may have ended the wait.
    if (!payment.call?.isBlocked) continue;
    writeState(rows, state);
    payment.wakeAt = new Date(at);
    await reopenRun(tx, paymentRun(payment), at);
  }
}
