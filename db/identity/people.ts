/**
 * What may have changed since a person's token was signed, read in one query on every request, without a cache (docs/contract.md#access).
 */
import { sqlOn } from '../kernel/sql.ts';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { Role } from '../../domain/identity/rules.ts';
import { msOf } from '../../domain/kernel/time.ts';

export interface FoundPerson {
  /** Null: there is no such store. */
  readonly storeId: string | null;
  readonly sandbox: boolean;
  readonly clockOffsetMs: number;
  /** The role now; null: not a member. */
  readonly role: Role | null;
  /** When this membership began, in real ms; null: not a member. */
  readonly joinedAt: number | null;
  /** The status of the token's client; null for the console, which has no row. */
  readonly clientStatus: string | null;
  /** The client's store, the only one that its tokens are valid for; null for the console, whose tokens are valid for all. */
  readonly clientStoreId: string | null;
  /** The login is not revoked. */
  readonly isLive: boolean;
}

export async function findPerson(
  orm: MikroORM,
  { clientId, loginId, userId }: { clientId: string; loginId: string; userId: string },
  storeId: string,
): Promise<FoundPerson | null> {
  const [row] = await sqlOn(orm)<{
    store_id: string | null;
    sandbox: boolean | null;
    clock_offset_ms: string | null;
    role: Role | null;
    joined_at: Date | string | null;
    client_status: string | null;
    client_store_id: string | null;
    is_live: boolean;
  }>`SELECT * FROM lookup_person(${clientId}, ${loginId}, ${userId}, ${storeId})`;
  return row
    ? {
        storeId: row.store_id,
        sandbox: row.sandbox === true,
        clockOffsetMs: Number(row.clock_offset_ms ?? 0),
        role: row.role,
        joinedAt: msOf(row.joined_at),
        clientStatus: row.client_status,
        clientStoreId: row.client_store_id,
        isLive: row.is_live,
      }
    : null;
}

export async function userEmail(orm: MikroORM, userId: string): Promise<string | null> {
  const [row] = await sqlOn(orm)<{ email: string }>`SELECT email FROM user_account WHERE user_id = ${userId}`;
  return row?.email ?? null;
}

export interface Membership {
  readonly storeId: string;
  readonly storeCode: string;
  readonly name: string;
  readonly sandbox: boolean;
  readonly role: Role;
}
/** The stores of a person, oldest membership first; `clientStoreId`: only this one. */
export async function membershipsOf(orm: MikroORM, userId: string, clientStoreId: string | null): Promise<Membership[]> {
  const rows = await sqlOn(orm)<{ store_id: string; store_code: string; name: string; sandbox: boolean; role: Role }>`
    SELECT * FROM lookup_memberships(${userId})`;
  return rows
    .filter((row) => clientStoreId === null || row.store_id === clientStoreId)
    .map(({ store_id: storeId, store_code: storeCode, name, sandbox, role }) => ({ storeId, storeCode, name, sandbox, role }));
}
