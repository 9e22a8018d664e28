/** Circuits whose time is over: the provider is read once before a payment is started with it (docs/contract.md#payment-settings). */
import { RetryLater } from '../../domain/kernel/errors.ts';
import { closeCircuit, takeTrial } from '../../db/paymentSettings/circuits.ts';
import { openCredentials, rejectSet, servingOf } from '../../db/paymentSettings/credentials.ts';
import { inTenant, REQUEST, type Tenancy, type Tx } from '../../db/kernel/tx.ts';
import { CircuitDue, ProviderUnavailable } from '../../db/payments/attempts.ts';
import { RunAgain } from '../declare/runAgain.ts';
import type { ApiDeps } from '../declare/deps.ts';

/** Less than a buyer waits for. */
const TRIAL_MS = 3000;

/** Starts an attempt in a transaction of the request; errors of circuits become what the request's transaction understands. */
export async function choosing<T>(deps: ApiDeps, { storeId, at, realNow }: Tenancy, start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    if (error instanceof CircuitDue) throw new RunAgain(() => tryCircuit(deps, { storeId, at, realNow }, error.circuit));
    if (error instanceof ProviderUnavailable)
      throw new RetryLater(Math.max(1, Math.ceil(error.retryAfterMs / 1000)), 'PAYMENT_PROVIDER_UNAVAILABLE');
    throw error;
  }
}

/** Closes the circuit when the provider answers; without an answer it stays open for another minute. Refused keys are marked as such. */
async function tryCircuit(deps: ApiDeps, tenancy: Tenancy, circuit: CircuitDue['circuit']): Promise<void> {
  const inTransaction = <T>(work: (tx: Tx) => Promise<T>) => inTenant(deps.orm, tenancy, REQUEST, work);
  const set = await inTransaction(async (tx) => ((await takeTrial(tx, circuit)) ? servingOf(tx, circuit) : null));
  if (!set) return;
  const answer = await deps.payments(openCredentials(deps.keyring, set)).verify(TRIAL_MS);
  deps.log.info({ storeId: tenancy.storeId, ...circuit, answer }, 'the circuit of a payment provider was tried');
  if (answer === 'UNAVAILABLE') return;
  await inTransaction(async (tx) => {
    if (answer === 'UNAUTHORIZED') await rejectSet(tx, set.credentialId);
    await closeCircuit(tx, circuit);
  });
}
