import type { Role } from '../../domain/identity/rules.ts';
import type { Keyring } from '../kernel/keyring.ts';
import type { Tx } from '../kernel/tx.ts';
import { invitationTokenLocation } from './queries.ts';

/** The content of a mail. It is read when the mail is sent: neither the address nor the link passes through Temporal. */
export interface InvitationMail {
  readonly email: string;
  readonly role: Role;
  readonly storeName: string;
  readonly inviterName: string;
  readonly token: string;
}

/** Null when the link is no longer the current one, or the invitation not pending. */
export async function readInvitationMail(
  { sql, storeId }: Tx,
  keyring: Keyring,
  invitationId: string,
  sendNo: number,
): Promise<InvitationMail | null> {
  const [row] = await sql<{ email: string; role: Role; token_sealed: string; store_name: string; inviter: string }>`
    SELECT i.email, i.role, i.token_sealed, s.name AS store_name, coalesce(u.name, u.email) AS inviter
     FROM invitation i JOIN store s USING (store_id) JOIN user_account u ON u.user_id = i.invited_by
     WHERE i.store_id = ${storeId} AND i.invitation_id = ${invitationId} AND i.send_no = ${sendNo} AND i.status = 'PENDING'`;
  if (!row) return null;
  const token = keyring.open(row.token_sealed, invitationTokenLocation(storeId, invitationId));
  return { email: row.email, role: row.role, storeName: row.store_name, inviterName: row.inviter, token };
}
