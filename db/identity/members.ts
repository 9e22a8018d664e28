/** People of a store and their roles (part B § Member). */
import { newId } from '../kernel/clock.ts';
import { type Em, sql } from '../orm.ts';
import type { Role } from '../../workflows/identity/rules.ts';

/** Makes a person a member, known by their address; the operator's way in, and the end of an invitation. */
export async function addMember(
  em: Em,
  storeId: string,
  email: string,
  role: Role,
  now: number,
): Promise<{ userId: string; isNew: boolean }> {
  const [user] = await sql<{ user_id: string }>(
    em,
    `INSERT INTO user_account (user_id, email, created_at) VALUES (?, ?, ?)
     ON CONFLICT (email) DO UPDATE SET email = excluded.email RETURNING user_id`,
    [newId('usr', now), email.toLowerCase(), new Date(now)],
  );
  const made = await sql(
    em,
    'INSERT INTO member (store_id, user_id, role, created_at) VALUES (?, ?, ?, ?) ON CONFLICT (store_id, user_id) DO NOTHING RETURNING 1 AS ok',
    [storeId, user!.user_id, role, new Date(now)],
  );
  return { userId: user!.user_id, isNew: made.length > 0 };
}
