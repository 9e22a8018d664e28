/** Store settings and the lookups that find a tenant. */
import { Fault } from '../../workflows/kernel/errors.ts';
import { type Em, sql } from '../orm.ts';
import { type Store, StoreEntity } from './entities.ts';

/** What a lookup function answers before the tenant is known. */
export interface Tenant {
  readonly storeId: string;
  readonly status: string;
  readonly sandbox: boolean;
  /** Business time is the real time plus this. */
  readonly clockOffsetMs: number;
}
type Lookup = 'lookup_store' | 'lookup_client' | 'lookup_payment';

/** The tenant that a store code, client id or payment id belongs to, or null. */
export async function findTenant(em: Em, by: Lookup, key: string): Promise<Tenant | null> {
  const [row] = await sql<{ store_id: string; status: string; sandbox: boolean; clock_offset_ms: string }>(em, `SELECT * FROM ${by}(?)`, [
    key,
  ]);
  return row ? { storeId: row.store_id, status: row.status, sandbox: row.sandbox, clockOffsetMs: Number(row.clock_offset_ms) } : null;
}

/** The store of this transaction. */
export async function readStore(em: Em, storeId: string): Promise<Store> {
  const store = await em.findOne(StoreEntity, { storeId });
  if (!store) throw new Fault('STORE_NOT_FOUND');
  return store;
}

export interface StorePatch {
  readonly autoDeliverDays?: number;
  readonly autoConfirmDays?: number;
}

/** Applies the fields sent; a later change of the days moves no armed deadline (D31). */
export async function patchStore(em: Em, storeId: string, patch: StorePatch): Promise<Store> {
  const store = await readStore(em, storeId);
  em.assign(store, patch);
  return store;
}
