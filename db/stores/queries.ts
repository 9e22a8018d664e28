/** Store settings and the lookups that find a tenant. */
import type { ShippingPolicy } from '../../domain/checkout/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { DEFAULT_REFUND_POLICY, type RefundPolicy } from '../../domain/products/refundPolicy.ts';
import { type Sql, fragment } from '../kernel/sql.ts';
import type { Tx } from '../kernel/tx.ts';
import { type Store, StoreEntity } from './entities.ts';

/** A store, as lookup functions return it before the tenant is known. */
export interface Tenant {
  readonly storeId: string;
  readonly status: string;
  readonly sandbox: boolean;
  /** Business time minus real time. */
  readonly clockOffsetMs: number;
}
const LOOKUPS = {
  storeCode: fragment`lookup_store`,
  clientId: fragment`lookup_client`,
  paymentId: fragment`lookup_payment`,
} as const;

/** The tenant that a store code, client id or payment id belongs to, or null. */
export async function findTenant(sql: Sql, by: keyof typeof LOOKUPS, key: string): Promise<Tenant | null> {
  const [row] = await sql<TenantRow>`SELECT * FROM ${LOOKUPS[by]}(${key})`;
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

/** The store of this transaction, which reads it once; null when it was deleted. */
export const findStore = ({ em, storeId }: Tx): Promise<Store | null> => em.findOne(StoreEntity, { storeId });

/** The same; STORE_NOT_FOUND. */
export async function readStore(tx: Tx): Promise<Store> {
  const store = await findStore(tx);
  if (!store) throw new Fault('STORE_NOT_FOUND');
  return store;
}

/** Whether the store was ever public or had an order with real money (G8). */
export const isLive = async (tx: Tx): Promise<boolean> => {
  const { everPublicAt, firstLiveOrderAt } = await readStore(tx);
  return everPublicAt !== null || firstLiveOrderAt !== null;
};

/** The store's refund policy: its overrides and the defaults. */
export const refundPolicyOf = (store: Store): RefundPolicy => ({ ...DEFAULT_REFUND_POLICY, ...store.refundPolicy });

/** The store's settings for delivery fees. */
export const shippingPolicyOf = ({ freeThresholdWon, jejuSurchargeWon, isolatedSurchargeWon }: Store): ShippingPolicy => ({
  freeThresholdWon: freeThresholdWon ?? null,
  jejuSurchargeWon,
  isolatedSurchargeWon,
});
