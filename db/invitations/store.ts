/** Invitations: made, looked up by their link, counted (part B § Members, D67). */
import { randomBytes } from 'node:crypto';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { AssignedRole } from '../../domain/identity/rules.ts';
import { invitationWorkflowId } from '../../workflows/invitations/contract.ts';
import { type InvitationStatus, LINK_MS, SEND_LIMITS } from '../../domain/invitations/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { korean } from '../../domain/kernel/time.ts';
import { newId } from '../kernel/clock.ts';
import { hashSecret, type Keyring, type Place } from '../kernel/keyring.ts';
import { type Em, lockName, sql } from '../orm.ts';
import { openRun } from '../runs/commands.ts';
import type { Tenant } from '../stores/store.ts';
import { type Invitation, InvitationEntity } from './entities.ts';

export const invitationPlace = (storeId: string, invitationId: string): Place => ({
  store: storeId,
  table: 'invitation',
  row: invitationId,
  column: 'token',
});

export const invitationRun = ({ storeId, invitationId }: Invitation) =>
  ({
    storeId,
    workflowType: 'invitation',
    workflowId: invitationWorkflowId(storeId, invitationId),
    entityId: invitationId,
    orderNo: null,
  }) as const;

/** A new link, on its way from now on; the one before it is dead. */
export function newLink(keyring: Keyring, storeId: string, invitationId: string, at: number) {
  const token = randomBytes(32).toString('base64url');
  return {
    tokenHash: hashSecret(token),
    tokenSealed: keyring.seal(token, invitationPlace(storeId, invitationId)),
    sendAttempts: 0,
    nextSendAt: new Date(at),
    deliveryStatus: null,
    deliveryErrorCode: null,
    expiresAt: new Date(at + LINK_MS),
  };
}

export interface NewInvitation {
  readonly email: string;
  readonly role: AssignedRole;
  readonly invitedBy: string;
}
interface Moment {
  readonly at: number;
  readonly realNow: number;
}

/** Makes an invitation and the run that mails it. One address has one that is pending. */
export async function invite(
  em: Em,
  keyring: Keyring,
  storeId: string,
  wanted: NewInvitation,
  { at, realNow }: Moment,
): Promise<Invitation> {
  const email = wanted.email.toLowerCase();
  // One at a time for an address: the answer names the one that is pending.
  await lock(em, [`invitation/${storeId}/${email}`]);
  const [member] = await sql(em, 'SELECT 1 AS ok FROM member m JOIN user_account u USING (user_id) WHERE m.store_id = ? AND u.email = ?', [
    storeId,
    email,
  ]);
  if (member) throw new Fault('ALREADY_MEMBER');
  const pending = await em.findOne(InvitationEntity, { storeId, email, status: 'PENDING' });
  if (pending) throw new Fault('INVITATION_PENDING', { details: { invitationId: pending.invitationId } });
  await countSend(em, { storeId, sender: wanted.invitedBy, recipient: email }, realNow);
  const invitationId = newId('inv', at);
  const invitation = em.create(InvitationEntity, {
    ...wanted,
    ...newLink(keyring, storeId, invitationId, at),
    storeId,
    invitationId,
    email,
    status: 'PENDING',
    sendNo: 1,
    createdAt: new Date(at),
  });
  em.persist(invitation);
  openRun(em, { ...invitationRun(invitation), wakeAt: at, status: 'PENDING', createdAt: realNow });
  return invitation;
}

const lock = async (em: Em, keys: readonly string[]) => {
  for (const key of keys.toSorted()) await lockName(em, key);
};

/** Notes a send, or refuses it: TOO_MANY_REQUESTS with `details.limit`. Counted over all stores for senders and recipients. */
export async function countSend(
  em: Em,
  { storeId, sender, recipient }: { storeId: string; sender: string; recipient: string },
  realNow: number,
): Promise<void> {
  await lock(em, [`send/store/${storeId}`, `send/sender/${sender}`, `send/recipient/${recipient}`]);
  const values = { STORE: storeId, SENDER: sender, RECIPIENT: recipient };
  for (const { limit, most, withinMs } of SEND_LIMITS) {
    const column = { STORE: 'store', SENDER: 'sender', RECIPIENT: 'recipient' }[limit];
    const [row] = await sql<{ sent: number }>(em, `SELECT count(*)::int AS sent FROM invitation_send WHERE ${column} = ? AND at > ?`, [
      values[limit],
      new Date(realNow - withinMs),
    ]);
    if (row!.sent >= most) throw new Fault('TOO_MANY_REQUESTS', { details: { limit } });
  }
  await sql(em, 'INSERT INTO invitation_send (store, sender, recipient, at) VALUES (?, ?, ?, ?)', [
    storeId,
    sender,
    recipient,
    new Date(realNow),
  ]);
}

export async function findInvitation(em: Em, storeId: string, invitationId: string): Promise<Invitation> {
  const invitation = await em.findOne(InvitationEntity, { storeId, invitationId });
  if (!invitation) throw new Fault('INVITATION_NOT_FOUND');
  return invitation;
}

/** Newest first; with a status, those only. */
export async function listInvitations(
  em: Em,
  storeId: string,
  { status, page, size }: { status: InvitationStatus | null; page: number; size: number },
): Promise<{ items: Invitation[]; total: number }> {
  const [items, total] = await em.findAndCount(
    InvitationEntity,
    { storeId, ...(status && { status }) },
    { orderBy: { createdAt: 'desc', invitationId: 'desc' }, limit: size, offset: (page - 1) * size },
  );
  return { items, total };
}

export interface Link {
  readonly tenant: Tenant;
  readonly invitationId: string;
  readonly email: string;
  readonly sendNo: number;
  readonly isPending: boolean;
}
/** The invitation that a link belongs to, in whichever store and whatever became of it; null for links that are dead. */
export async function findLink(orm: MikroORM, token: string): Promise<Link | null> {
  const [row] = await sql<{
    store_id: string;
    sandbox: boolean;
    clock_offset_ms: string;
    invitation_id: string;
    email: string;
    send_no: number;
    status: InvitationStatus;
  }>(orm.em.fork(), 'SELECT * FROM lookup_link(?)', [hashSecret(token).toString('hex')]);
  if (!row) return null;
  const tenant = { storeId: row.store_id, status: 'ACTIVE', sandbox: row.sandbox, clockOffsetMs: Number(row.clock_offset_ms) };
  const { invitation_id: invitationId, email, send_no: sendNo } = row;
  return { tenant, invitationId, email, sendNo, isPending: row.status === 'PENDING' };
}

/** What the API answers. No link: it is the recipient's. */
export const viewInvitation = (invitation: Invitation) => ({
  invitationId: invitation.invitationId,
  email: invitation.email,
  role: invitation.role,
  status: invitation.status,
  deliveryStatus: invitation.deliveryStatus ?? null,
  deliveryErrorCode: invitation.deliveryErrorCode ?? null,
  expiresAt: korean(invitation.expiresAt.getTime()),
  createdAt: korean(invitation.createdAt.getTime()),
});
