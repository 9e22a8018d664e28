/** Circuits of providers, on the real clock. */
import { dateOf, msOf, universal } from '../../domain/kernel/time.ts';
import { afterFailure, CIRCUIT } from '../../domain/paymentSettings/routing.ts';
import type { Environment, ProviderName } from '../../domain/payments/providers.ts';
import type { Tx } from '../kernel/tx.ts';

interface Circuit {
  readonly provider: ProviderName;
  readonly environment: Environment;
}
/** Counts a technical failure of a confirm; the fifth within a minute opens the circuit. True when it has opened now. */
export async function countFailure({ sql, storeId, realNow }: Tx, { provider, environment }: Circuit): Promise<boolean> {
  const [row] = await sql<{ failed_at: string[]; open_until: Date | null }>`
    INSERT INTO payment_circuit (store_id, provider, environment) VALUES (${storeId}, ${provider}, ${environment})
    ON CONFLICT (store_id, provider, environment) DO UPDATE SET provider = excluded.provider
    RETURNING to_jsonb(failed_at) AS failed_at, open_until`;
  if (row!.open_until !== null) return false;
  const { failedAt, openUntil } = afterFailure(
    row!.failed_at.map((at) => msOf(at)),
    realNow,
  );
  const opened = dateOf(openUntil);
  await sql`UPDATE payment_circuit SET failed_at = ${failedAt.map(universal)}::timestamptz[], open_until = ${opened}
    WHERE store_id = ${storeId} AND provider = ${provider} AND environment = ${environment}`;
  return openUntil !== null;
}

/** Closes a circuit and forgets its count. */
export const closeCircuit = ({ sql, storeId }: Tx, { provider, environment }: Circuit): Promise<object[]> =>
  sql`DELETE FROM payment_circuit WHERE store_id = ${storeId} AND provider = ${provider} AND environment = ${environment}`;

/** Takes the one reading that a circuit whose time is over is tried with: it stays open for others meanwhile. False: another has it. */
export async function takeTrial({ sql, storeId, realNow }: Tx, { provider, environment }: Circuit): Promise<boolean> {
  const taken = await sql`UPDATE payment_circuit SET open_until = ${new Date(realNow + CIRCUIT.openMs)} WHERE store_id = ${storeId}
    AND provider = ${provider} AND environment = ${environment} AND open_until <= ${new Date(realNow)} RETURNING 1 AS ok`;
  return taken.length > 0;
}
