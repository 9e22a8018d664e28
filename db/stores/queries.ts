/** Store settings and the lookups that find a tenant. */
import type { ShippingPolicy } from '../../domain/checkout/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { DEFAULT_REFUND_POLICY, type RefundPolicy } from '../../domain/products/refundPolicy.ts';
import { type Em, sql } from '../kernel/tx.ts';
import { type Store, StoreEntity } from './entities.ts';

/** A store, as lookup functions return it before the tenant is known. */
export interface Tenant {
  readonly storeId: string;
  readonly status: string;
  readonly sandbox: boolean;
  /** Business time minus real time. */
  readonly clockOffsetMs: number;
}
type Lookup = 'lookup_store' | 'lookup_client' | 'lookup_payment';

/** The tenant that a store code, client id or payment id belongs to, or null. */
export async function findTenant(em: Em, by: Lookup, key: string): Promise<Tenant | null> {
  const [row] = await sql<TenantRow>(em, `SELECT * FROM ${by}(?)`, [key]);
  return row ? tenantOf(row) : null;
}

/** What a lookup returns of a store. */
export interface TenantRow {
  readonly store_id: string;
  readonly status: string;
  readonly sandbox: boolean;
  readonly clock_offset_ms: string;
}
export const tenantOf = (row: TenantRow): Tenant => ({
  storeId: row.store_id,
  status: row.status,
  sandbox: row.sandbox,
  clockOffsetMs: Number(row.clock_offset_ms),
});

/** The store of this transaction. */
export async function readStore(em: Em, storeId: string): Promise<Store> {
  const store = await em.findOne(StoreEntity, { storeId });
  if (!store) throw new Fault('STORE_NOT_FOUND');
  return store;
}

/** The store's refund policy: its overrides and the defaults. */
export const refundPolicyOf = (store: Store): RefundPolicy => ({ ...DEFAULT_REFUND_POLICY, ...store.refundPolicy });

/** The store's settings for delivery fees. */
export const shippingPolicyOf = ({ freeThresholdWon, jejuSurchargeWon, isolatedSurchargeWon }: Store): ShippingPolicy => ({
  freeThresholdWon: freeThresholdWon ?? null,
  jejuSurchargeWon,
  isolatedSurchargeWon,
});
