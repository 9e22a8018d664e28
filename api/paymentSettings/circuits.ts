/** Circuits whose time is over: the provider is read once before a payment is started with it (docs/contract.md#payment-settings, Y17). */
import { RetryLater } from '../../domain/kernel/errors.ts';
import { closeCircuit, takeTrial } from '../../db/paymentSettings/circuits.ts';
import { openCredentials, rejectSet, servingOf } from '../../db/paymentSettings/credentials.ts';
import { inTenant, REQUEST, type Tenancy, type Tx } from '../../db/kernel/tx.ts';
import { CircuitDue, ProviderUnavailable } from '../../db/payments/attempts.ts';
import type { ApiDeps } from '../declare/deps.ts';

/** Less than a buyer waits for. */
const TRIAL_MS = 3000;

/** The handler needs something from outside of its transaction, which is rolled back: `prepare` first, then the handler once more. */
export class RunAgain extends Error {
  readonly prepare: () => Promise<void>;
  readonly code: 'PAYMENT_PROVIDER_UNAVAILABLE' | 'TEMPORARILY_UNAVAILABLE';
  /** `code`: of the refusal after too many runs. */
  constructor(prepare: () => Promise<void>, code: RunAgain['code'] = 'PAYMENT_PROVIDER_UNAVAILABLE') {
    super('run again after the preparation');
    this.prepare = prepare;
    this.code = code;
  }
}
/** Each provider's circuit may be due. */
const MAX_RUNS = 2;
/** Prepares the next run; its refusal after too many. */
export async function runAgain({ prepare, code }: RunAgain, runs: number): Promise<void> {
  if (runs > MAX_RUNS) throw new RetryLater(1, code);
  await prepare();
}

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
