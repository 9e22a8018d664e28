/** The attempt that a provider's notification is about. */
import type { ProviderName } from '../../domain/payments/providers.ts';
import type { Tx } from '../kernel/tx.ts';
import { PaymentAttemptEntity, PaymentEntity } from './entities.ts';
import type { Started } from './queries.ts';

/** By our order id at the provider; null: it is none of this store's. */
export async function findNotified({ em, storeId }: Tx, pg: ProviderName, pgOrderId: string): Promise<Started | null> {
  const attempt = await em.findOne(PaymentAttemptEntity, { storeId, pg, pgOrderId });
  if (!attempt) return null;
  const payment = await em.findOneOrFail(PaymentEntity, { storeId, paymentId: attempt.paymentId });
  return { payment, attempt };
}
