/** Attempts of deliveries, each begun once. */
import type { Keyring } from '../kernel/keyring.ts';
import type { Tx } from '../kernel/tx.ts';
import { webhookSecretLocation } from './queries.ts';

/** What an attempt sends, once it has begun. */
export interface AttemptRequest {
  readonly url: string;
  /** The newest first. */
  readonly secrets: readonly string[];
  readonly body: string;
  readonly eventId: string;
  readonly eventType: string;
}
interface BegunAttempt {
  readonly webhook_id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly url: string;
  readonly secret_sealed: string;
  readonly old_secret_sealed: string | null;
  readonly body: string;
}

/**
 * Begins attempt `n` by a conditional update of the count from n−1 to n, so that no attempt is made twice; marks the run as loaded. Null
 * when it must not be made: begun already, deleted, suspended, or ended by a suspension that was lifted since. `at`: the business time that
 * decides whether a rotated secret still signs.
 */
export async function beginAttempt(
  { sql, storeId, at, realNow }: Tx,
  keyring: Keyring,
  { deliveryId, n }: { deliveryId: string; n: number },
): Promise<AttemptRequest | null> {
  const [row] = await sql<BegunAttempt>`WITH begun AS (
       UPDATE webhook_delivery d SET attempt_count = ${n}, next_attempt_at = NULL, url = w.url FROM webhook w
       WHERE d.store_id = ${storeId} AND d.delivery_id = ${deliveryId} AND d.attempt_count = ${n - 1}
         AND d.status IN ('PENDING', 'PENDING_RETRY')
         AND w.store_id = d.store_id AND w.webhook_id = d.webhook_id AND w.status = 'ACTIVE'
         AND d.epoch >= w.epoch
       RETURNING d.store_id, d.delivery_id, d.attempt_count, d.webhook_id, d.event_id, d.event_type, w.url, w.secret_sealed,
         CASE WHEN w.old_secret_expires_at > ${new Date(at)} THEN w.old_secret_sealed END AS old_secret_sealed),
     loaded AS (
       UPDATE run r SET loaded_at = ${new Date(realNow)} FROM begun c
       WHERE c.attempt_count = 1 AND r.store_id = c.store_id AND r.workflow_type = 'webhookDelivery' AND r.entity_id = c.delivery_id
         AND r.loaded_at IS NULL)
     SELECT c.*, (SELECT e.body FROM event e WHERE e.store_id = c.store_id AND e.event_id = c.event_id) AS body FROM begun c`;
  if (!row) return null;
  const location = webhookSecretLocation(storeId, row.webhook_id);
  const secrets = [row.secret_sealed, row.old_secret_sealed].flatMap((sealed) => (sealed === null ? [] : [keyring.open(sealed, location)]));
  return { url: row.url, secrets, body: row.body, eventId: row.event_id, eventType: row.event_type };
}

/** Whether attempt `n` is in flight: begun, without a recorded outcome. */
export async function isAttemptOpen({ sql, storeId }: Tx, deliveryId: string, n: number): Promise<boolean> {
  const rows =
    await sql`SELECT 1 AS ok FROM webhook_delivery WHERE store_id = ${storeId} AND delivery_id = ${deliveryId} AND attempt_count = ${n}
      AND next_attempt_at IS NULL
       AND status IN ('PENDING', 'PENDING_RETRY')`;
  return rows.length > 0;
}
