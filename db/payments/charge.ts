/** What calls to the provider need of an attempt. */
import { msOf } from '../../domain/kernel/time.ts';
import type { Credentials, Environment, ProviderName } from '../../domain/payments/providers.ts';
import type { Keyring } from '../kernel/keyring.ts';
import type { Tx } from '../kernel/tx.ts';
import { credentialsFor } from '../paymentSettings/credentials.ts';

export interface Charge {
  readonly attemptId: string;
  readonly pgOrderId: string;
  readonly provider: ProviderName;
  readonly environment: Environment;
  /** Null only at PortOne, before the buyer has come back. */
  readonly paymentKey: string | null;
  /** Of PortOne. */
  readonly paymentToken: string | null;
  /** Won. */
  readonly amount: number;
  /** Business time of its last confirm's plan, in ms; null before. */
  readonly confirmedAt: number | null;
  /** The store's clock offset, in ms. */
  readonly clock: number;
  /** Its own set is not known, because it is older than its store's sets: another that serves stands in for it. */
  readonly isOwnSetUnknown: boolean;
  /** The set of the attempt, then the newest verified one of the same provider and environment, where that is another (Y9). */
  readonly credentials: readonly Credentials[];
}

/** Null when the attempt is gone or has no payment key. An attempt that is older than its store's sets has that which serves. */
export async function chargeOf(tx: Tx, keyring: Keyring, attemptId: string): Promise<Charge | null> {
  const { sql, storeId } = tx;
  const [row] = await sql<{
    pg: ProviderName;
    pg_order_id: string;
    environment: Environment;
    payment_key: string | null;
    payment_token: string | null;
    amount_won: string;
    confirmed_at: string | null;
    clock_offset_ms: string;
    credential_id: string | null;
    is_own: boolean;
  }>`SELECT a.pg, a.pg_order_id, a.environment, a.payment_key, a.payment_token, a.amount_won, a.confirmed_at, s.clock_offset_ms,
      a.credential_id IS NOT NULL AS is_own,
      coalesce(a.credential_id, (SELECT c.credential_id FROM payment_credential c WHERE c.store_id = a.store_id AND c.provider = a.pg
        AND c.environment = a.environment AND c.status = 'VERIFIED' ORDER BY c.seq DESC LIMIT 1)) AS credential_id
     FROM payment_attempt a JOIN store s ON s.store_id = a.store_id
     WHERE a.store_id = ${storeId} AND a.attempt_id = ${attemptId} AND (a.payment_key IS NOT NULL OR a.pg = 'portone')`;
  if (!row) return null;
  return {
    attemptId,
    pgOrderId: row.pg_order_id,
    provider: row.pg,
    environment: row.environment,
    paymentKey: row.payment_key,
    paymentToken: row.payment_token,
    amount: Number(row.amount_won),
    confirmedAt: msOf(row.confirmed_at),
    clock: Number(row.clock_offset_ms),
    isOwnSetUnknown: !row.is_own,
    credentials: row.credential_id === null ? [] : await credentialsFor(tx, keyring, row.credential_id),
  };
}
