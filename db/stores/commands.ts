/** Store settings and the lookups that find a tenant. */
import type { RefundPolicy } from '../../domain/products/refundPolicy.ts';
import type { Tx } from '../kernel/tx.ts';
import type { Store } from './entities.ts';
import { readStore } from './queries.ts';

/**
 * The store, FOR NO KEY UPDATE: a read-merge-write of its settings loses no concurrent change. Inserts that refer to the store by a foreign
 * key need not wait.
 */
export async function lockStore(tx: Tx): Promise<Store> {
  const { sql, storeId } = tx;
  await sql`SELECT 1 FROM store WHERE store_id = ${storeId} FOR NO KEY UPDATE`;
  return readStore(tx);
}

export interface StorePatch {
  readonly autoDeliverDays?: number;
  readonly autoConfirmDays?: number;
  readonly guestCheckoutEnabled?: boolean;
  readonly termsVersion?: string | null;
  readonly privacyVersion?: string | null;
  readonly termsUrl?: string | null;
  readonly privacyUrl?: string | null;
  readonly taxRegistrationNumber?: string | null;
  readonly analyticsAllowedOrigins?: string[];
  readonly shippingPolicy?: {
    readonly baseDeliveryFee?: number;
    readonly freeThreshold?: number | null;
    readonly jejuSurcharge?: number;
    readonly isolatedSurcharge?: number;
  };
  readonly refundPolicy?: Partial<RefundPolicy>;
}

/** Applies the sent fields, policies item by item. A change of the automatic days does not move armed deadlines. */
export async function patchStore(tx: Tx, patch: StorePatch): Promise<Store> {
  const store = await lockStore(tx);
  const { shippingPolicy = {}, refundPolicy = {}, taxRegistrationNumber: taxNumber, ...plain } = patch;
  const { baseDeliveryFee, freeThreshold, jejuSurcharge, isolatedSurcharge } = shippingPolicy;
  Object.assign(store, plain, {
    ...(taxNumber !== undefined && { taxRegistrationNumber: taxNumber?.replaceAll('-', '') ?? null }),
    ...(baseDeliveryFee !== undefined && { baseDeliveryFeeWon: baseDeliveryFee }),
    ...(freeThreshold !== undefined && { freeThresholdWon: freeThreshold }),
    ...(jejuSurcharge !== undefined && { jejuSurchargeWon: jejuSurcharge }),
    ...(isolatedSurcharge !== undefined && { isolatedSurchargeWon: isolatedSurcharge }),
    refundPolicy: { ...store.refundPolicy, ...refundPolicy },
  });
  return store;
}
