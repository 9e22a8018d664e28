/** API tokens: bearer tokens with a checksum, so that malformed ones never reach Postgres; stored as SHA-256 (docs/contract.md#tokens). */
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { Role } from '../../domain/identity/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { DAY, MINUTE, msOf } from '../../domain/kernel/time.ts';
import { newId } from '../kernel/clock.ts';
import { hashSecret } from '../kernel/keyring.ts';
import { sqlOn } from '../kernel/sql.ts';
import { inTenant, realTime, REQUEST, type Tx } from '../kernel/tx.ts';
import type { Tenant } from '../stores/queries.ts';
import { ApiTokenEntity } from './entities.ts';
import { lockRole } from './members.ts';

/** A fixed prefix, by which secret scanners recognize leaked tokens. */
const API_TOKEN_PREFIX = 'svcpat_';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const base62 = (value: bigint, length: number): string =>
  Array.from({ length }, (_, i) => DIGITS[Number((value / 62n ** BigInt(length - 1 - i)) % 62n)]).join('');
const checksum = (body: string) => base62(BigInt(crc32(body)), 6);

/** `svcpat_`, 32 random bytes in 43 base62 characters, and a CRC-32 over both in 6. */
export function newApiToken(): string {
  const body = API_TOKEN_PREFIX + base62(BigInt(`0x${randomBytes(32).toString('hex')}`), 43);
  return body + checksum(body);
}
export const isApiToken = (token: string): boolean =>
  /^svcpat_[0-9A-Za-z]{49}$/.test(token) && checksum(token.slice(0, -6)) === token.slice(-6);

export interface NewApiToken {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly purpose: 'plain' | 'agent';
  /** Null: never expires. */
  readonly expiresInDays: number | null;
  readonly createdBy: string;
}
export interface ShownApiToken {
  readonly tokenId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly purpose: 'plain' | 'agent';
  readonly tokenPrefix: string;
  readonly createdByName: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
}

/** Issues a token; its plain text is returned only here. Real time. UNAUTHORIZED when the issuer was removed concurrently. */
export async function issueApiToken(tx: Tx, wanted: NewApiToken): Promise<ShownApiToken & { token: string }> {
  const { em, storeId, realNow: now } = tx;
  const token = newApiToken();
  const { name, scopes, purpose, createdBy, expiresInDays } = wanted;
  if ((await lockRole(tx, createdBy)) === null) throw new Fault('UNAUTHORIZED');
  const tokenId = newId('tok', now);
  em.create(ApiTokenEntity, {
    storeId,
    tokenId,
    name,
    scopes: [...scopes],
    purpose,
    createdBy,
    tokenHash: hashSecret(token),
    tokenPrefix: token.slice(0, API_TOKEN_PREFIX.length + 4),
    createdAt: new Date(now),
    expiresAt: expiresInDays === null ? null : new Date(now + expiresInDays * DAY),
  });
  await em.flush();
  const { items } = await listApiTokens(tx, { page: 1, size: 1, tokenId });
  return { ...items[0]!, token };
}

/** Tokens that are not revoked, newest first, with the names of their issuers. */
export async function listApiTokens(
  { sql, storeId }: Tx,
  { page, size, tokenId = null }: { page: number; size: number; tokenId?: string | null },
): Promise<{ items: ShownApiToken[]; total: number }> {
  const rows = await sql<{
    token_id: string;
    name: string;
    scopes: string[];
    purpose: 'plain' | 'agent';
    token_prefix: string;
    created_by_name: string;
    created_at: Date;
    expires_at: Date | null;
    last_used_at: Date | null;
    total: string;
  }>`SELECT t.*, coalesce(u.name, u.email) AS created_by_name, count(*) OVER () AS total FROM api_token t
     JOIN user_account u ON u.user_id = t.created_by
     WHERE t.store_id = ${storeId} AND t.revoked_at IS NULL AND (${tokenId}::text IS NULL OR t.token_id = ${tokenId})
     ORDER BY t.created_at DESC, t.token_id DESC LIMIT ${size} OFFSET ${(page - 1) * size}`;
  return {
    total: Number(rows[0]?.total ?? 0),
    items: rows.map((row) => ({
      tokenId: row.token_id,
      name: row.name,
      scopes: row.scopes,
      purpose: row.purpose,
      tokenPrefix: row.token_prefix,
      createdByName: row.created_by_name,
      createdAt: msOf(row.created_at),
      expiresAt: msOf(row.expires_at),
      lastUsedAt: msOf(row.last_used_at),
    })),
  };
}

/** Revokes a token; effective immediately on every process, because each request reads the row. */
export async function revokeApiToken({ sql, storeId, realNow: now }: Tx, tokenId: string): Promise<void> {
  const rows = await sql`UPDATE api_token SET revoked_at = ${new Date(now)} WHERE store_id = ${storeId} AND token_id = ${tokenId}
      AND revoked_at IS NULL RETURNING 1 AS ok`;
  if (rows.length === 0) throw new Fault('API_TOKEN_NOT_FOUND');
}

export interface FoundApiToken {
  readonly tokenId: string;
  readonly tenant: Tenant;
  /** Who issued it. */
  readonly userId: string;
  readonly scopes: readonly string[];
  readonly purpose: 'plain' | 'agent';
  /** The issuer's role now; null once they have left. */
  readonly role: Role | null;
  /** Neither revoked nor expired. */
  readonly isLive: boolean;
}

/** A token, also one that is no longer valid, or null. Records the use of a live one, at most once a minute. */
export async function findApiToken(orm: MikroORM, token: string, now: number): Promise<FoundApiToken | null> {
  const [row] = await sqlOn(orm)<{
    store_id: string;
    sandbox: boolean;
    clock_offset_ms: string;
    token_id: string;
    scopes: string[];
    purpose: 'plain' | 'agent';
    expires_at: Date | null;
    revoked_at: Date | null;
    last_used_at: Date | null;
    user_id: string;
    role: Role | null;
  }>`SELECT * FROM lookup_api_token(${hashSecret(token).toString('hex')})`;
  if (!row) return null;
  const isLive = row.revoked_at === null && (row.expires_at === null || msOf(row.expires_at) > now);
  const isRecorded = row.last_used_at !== null && msOf(row.last_used_at) >= now - MINUTE;
  if (isLive && !isRecorded)
    await inTenant(
      orm,
      realTime(row.store_id, now),
      REQUEST,
      ({ sql }) =>
        sql`UPDATE api_token SET last_used_at = greatest(last_used_at, ${new Date(now)}) WHERE store_id = ${row.store_id}
          AND token_id = ${row.token_id}`,
    );
  const { token_id: tokenId, store_id: storeId, sandbox, clock_offset_ms: offset, user_id: userId, scopes, purpose, role } = row;
  return { tokenId, tenant: { storeId, status: 'ACTIVE', sandbox, clockOffsetMs: Number(offset) }, userId, scopes, purpose, role, isLive };
}

/** A valid token of this store, by its id, or null; its use is not recorded. Real time. */
export async function findApiTokenById(
  { sql, storeId, realNow }: Tx,
  tokenId: string,
): Promise<Pick<FoundApiToken, 'userId' | 'scopes' | 'purpose' | 'role'> | null> {
  const [row] = await sql<{ user_id: string; scopes: string[]; purpose: 'plain' | 'agent'; role: Role | null }>`
    SELECT t.created_by AS user_id, t.scopes, t.purpose, m.role FROM api_token t
     LEFT JOIN member m ON m.store_id = t.store_id AND m.user_id = t.created_by
     WHERE t.store_id = ${storeId} AND t.token_id = ${tokenId} AND t.revoked_at IS NULL
       AND (t.expires_at IS NULL OR t.expires_at > ${new Date(realNow)})`;
  return row ? { userId: row.user_id, scopes: row.scopes, purpose: row.purpose, role: row.role } : null;
}
