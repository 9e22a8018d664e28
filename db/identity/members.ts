/** People of a store and their roles (docs/contract.md#members). */
import { LockMode } from '@mikro-orm/core';
import type { Role } from '../../domain/identity/rules.ts';
import { type Actor, changeProblem } from '../../domain/invitations/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { msOf } from '../../domain/kernel/time.ts';
import { newId } from '../kernel/clock.ts';
import { offset, type PageRequest } from '../kernel/page.ts';
import type { Tx } from '../kernel/tx.ts';
import { MemberEntity } from './entities.ts';

/** Adds a person as a member by e-mail address; for operators' commands. */
export async function addMember(tx: Tx, email: string, role: Role): Promise<void> {
  const { sql, at: now } = tx;
  const [user] = await sql<{ user_id: string }>`
    INSERT INTO user_account (user_id, email, created_at) VALUES (${newId('usr', now)}, ${email.toLowerCase()}, ${new Date(now)})
     ON CONFLICT (email) DO UPDATE SET email = excluded.email RETURNING user_id`;
  await joinMember(tx, user!.user_id, role);
}

export async function joinMember({ sql, storeId, at }: Tx, userId: string, role: Role): Promise<void> {
  const made = await sql`INSERT INTO member (store_id, user_id, role, created_at) VALUES (${storeId}, ${userId}, ${role}, ${new Date(at)})
      ON CONFLICT (store_id, user_id) DO NOTHING
     RETURNING 1 AS ok`;
  if (made.length === 0) throw new Fault('ALREADY_MEMBER');
}

export interface ShownMember {
  readonly userId: string;
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
  readonly joinedAt: number;
}
/** OWNER first, then ADMINs, then by the time of joining; `userId`: only this member; `paged`: a page of them. */
export async function listMembers(
  { sql, storeId }: Tx,
  userId: string | null = null,
  paged: PageRequest | null = null,
): Promise<ShownMember[]> {
  const { limit, offset: passed } = paged ? offset(paged) : { limit: null, offset: 0 };
  const rows = await sql<{ user_id: string; email: string; name: string | null; role: Role; created_at: Date }>`
    SELECT m.user_id, u.email, u.name, m.role, m.created_at FROM member m JOIN user_account u USING (user_id)
     WHERE m.store_id = ${storeId} AND (${userId}::text IS NULL OR m.user_id = ${userId})
     ORDER BY m.role <> 'OWNER', m.role <> 'ADMIN', m.created_at, m.user_id LIMIT ${limit}::int OFFSET ${passed}::int`;
  return rows.map((row) => ({
    userId: row.user_id,
    email: row.email,
    name: row.name,
    role: row.role,
    joinedAt: msOf(row.created_at),
  }));
}

export async function countMembers({ sql, storeId }: Tx): Promise<number> {
  const [row] = await sql<{ total: string }>`SELECT count(*) AS total FROM member WHERE store_id = ${storeId}`;
  return Number(row!.total);
}

/** A person's role, or null; FOR KEY SHARE, so that a concurrent removal waits and then revokes what this transaction issues. */
export async function lockRole({ sql, storeId }: Tx, userId: string): Promise<Role | null> {
  const [row] = await sql<{ role: Role }>`SELECT role FROM member WHERE store_id = ${storeId} AND user_id = ${userId} FOR KEY SHARE`;
  return row?.role ?? null;
}

/**
 * Revokes what a person holds in a store when their membership ends, permanently, even if they join again (X25): the API tokens that they
 * issued, and their logins through clients of the store. Real time.
 */
async function endAccess({ sql, storeId, realNow: now }: Tx, userId: string): Promise<void> {
  await sql`UPDATE api_token SET revoked_at = ${new Date(now)} WHERE store_id = ${storeId} AND created_by = ${userId}
    AND revoked_at IS NULL`;
  await sql`UPDATE login SET revoked_at = ${new Date(now)} WHERE user_id = ${userId} AND revoked_at IS NULL
       AND client_id IN (SELECT client_id FROM client WHERE store_id = ${storeId})`;
}

export interface MemberChange {
  readonly actor: Actor;
  readonly userId: string;
  /** Null: they are removed, or leave. */
  readonly to: Role | null;
}
/** Changes a role or removes a member; effective immediately, because every request reads the row. Null after a removal. */
export async function changeMember(tx: Tx, { actor, userId, to }: MemberChange): Promise<ShownMember | null> {
  const { em, storeId } = tx;
  const member = await em.findOne(MemberEntity, { storeId, userId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!member) throw new Fault('MEMBER_NOT_FOUND');
  const problem = changeProblem(actor, member, to);
  if (problem) throw new Fault(problem);
  if (to === null) {
    await em.nativeDelete(MemberEntity, { storeId, userId });
    await endAccess(tx, userId);
    return null;
  }
  member.role = to;
  await em.flush();
  const [shown] = await listMembers(tx, userId);
  return shown ?? null;
}

/** A person's role now; null: not a member. */
export async function readRole({ sql, storeId }: Tx, userId: string): Promise<Role | null> {
  const [row] = await sql<{ role: Role }>`SELECT role FROM member WHERE store_id = ${storeId} AND user_id = ${userId}`;
  return row?.role ?? null;
}
