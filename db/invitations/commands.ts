/** Invitations: created, found by their link, rate-limited (docs/contract.md#invitations). */
import { newInvitation } from '../../domain/invitations/machine.ts';
import { SEND_LIMITS } from '../../domain/invitations/rules.ts';
import { hashSecret, type Keyring } from '../kernel/keyring.ts';
import { randomBytes } from 'node:crypto';
import type { AssignedRole } from '../../domain/identity/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { msOf } from '../../domain/kernel/time.ts';
import { newId } from '../kernel/clock.ts';
import { fragment } from '../kernel/sql.ts';
import { lockName, type Tx } from '../kernel/tx.ts';
import { openRun } from '../runs/commands.ts';
import { type Invitation, InvitationEntity } from './entities.ts';
import { invitationTokenLocation, invitationRun } from './queries.ts';
import { columnsOf } from './rows.ts';

/** The token of a new link, as hash and encrypted; the previous link becomes invalid. */
export function newLink(keyring: Keyring, storeId: string, invitationId: string): Pick<Invitation, 'tokenHash' | 'tokenSealed'> {
  const token = randomBytes(32).toString('base64url');
  return { tokenHash: hashSecret(token), tokenSealed: keyring.seal(token, invitationTokenLocation(storeId, invitationId)) };
}

export interface NewInvitation {
  readonly email: string;
  readonly role: AssignedRole;
  readonly invitedBy: string;
}
/** Creates an invitation and its run. An address has at most one pending invitation: INVITATION_PENDING, ALREADY_MEMBER. */
export async function invite(tx: Tx, keyring: Keyring, wanted: NewInvitation): Promise<Invitation> {
  const { em, sql, storeId, at, realNow } = tx;
  const email = wanted.email.toLowerCase();
  // Serializes invitations of one address: the refusal names the pending one.
  await lock(tx, [`invitation/${storeId}/${email}`]);
  const [member] =
    await sql`SELECT 1 AS ok FROM member m JOIN user_account u USING (user_id) WHERE m.store_id = ${storeId} AND u.email = ${email}`;
  if (member) throw new Fault('ALREADY_MEMBER');
  const pending = await em.findOne(InvitationEntity, { storeId, email, status: 'PENDING' });
  if (pending) throw new Fault('INVITATION_PENDING', { details: { invitationId: pending.invitationId } });
  await countSend(tx, { storeId, sender: wanted.invitedBy, recipient: email });
  const invitationId = newId('inv', at);
  const invitation = em.create(InvitationEntity, {
    ...wanted,
    ...newLink(keyring, storeId, invitationId),
    ...columnsOf(newInvitation({ storeId, invitationId }, at)),
    storeId,
    invitationId,
    email,
    createdAt: new Date(at),
  });
  em.persist(invitation);
  openRun(tx, { ...invitationRun(invitation), wakeAt: at, status: 'PENDING', createdAt: realNow });
  return invitation;
}

const lock = async (tx: Tx, keys: readonly string[]) => {
  for (const key of keys.toSorted()) await lockName(tx, key);
};

/**
 * Records a send, or throws TOO_MANY_REQUESTS with `details.limit`, the first that is exhausted, and `details.retryAfter`, the seconds
 * until none of them is. Limits of senders and recipients span all stores. Real time.
 */
export async function countSend(
  tx: Tx,
  { storeId, sender, recipient }: { storeId: string; sender: string; recipient: string },
): Promise<void> {
  const { sql, realNow, isRehearsal } = tx;
  await lock(tx, [`send/store/${storeId}`, `send/sender/${sender}`, `send/recipient/${recipient}`]);
  const values = { STORE: storeId, SENDER: sender, RECIPIENT: recipient };
  const exhausted: { readonly limit: string; readonly freeAt: number }[] = [];
  for (const { limit, max, withinMs } of SEND_LIMITS) {
    const column = { STORE: fragment`store`, SENDER: fragment`sender`, RECIPIENT: fragment`recipient` }[limit];
    // The send that has to leave its window before there is room.
    const [row] = await sql<{ oldest: string | null }>`SELECT (array_agg(at ORDER BY at))[count(*) - ${max - 1}::int] AS oldest
      FROM invitation_send WHERE ${column} = ${values[limit]} AND at > ${new Date(realNow - withinMs)}`;
    if (row?.oldest) exhausted.push({ limit, freeAt: msOf(row.oldest) + withinMs });
  }
  if (exhausted.length > 0) {
    const freeAt = Math.max(...exhausted.map((one) => one.freeAt));
    throw new Fault('TOO_MANY_REQUESTS', {
      details: { limit: exhausted[0]!.limit, retryAfter: Math.max(1, Math.ceil((freeAt - realNow) / 1000)) },
    });
  }
  if (isRehearsal) return;
  await sql`INSERT INTO invitation_send (store, sender, recipient, at) VALUES (${storeId}, ${sender}, ${recipient}, ${new Date(realNow)})`;
}
