/** Invitations: created, found by their link, rate-limited (docs/contract.md#invitations). */
import { hashSecret, type SealLocation } from '../kernel/keyring.ts';
import type { MikroORM } from '@mikro-orm/postgresql';
import { type RunIds, runOf } from '../../workflows/kernel/messages.ts';
import type { Listing } from '../../domain/audit/changes.ts';
import type { InvitationStatus } from '../../domain/invitations/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { koreanOf } from '../../domain/kernel/time.ts';
import { sqlOn } from '../kernel/sql.ts';
import type { Tx } from '../kernel/tx.ts';
import type { Tenant } from '../stores/queries.ts';
import { type Invitation, InvitationEntity } from './entities.ts';

export const invitationTokenLocation = (storeId: string, invitationId: string): SealLocation => ({
  store: storeId,
  table: 'invitation',
  row: invitationId,
  column: 'token',
});

export const invitationRun = ({ storeId, invitationId }: Invitation): RunIds<'invitation'> => runOf('invitation', storeId, invitationId);

export async function findInvitation({ em, storeId }: Tx, invitationId: string): Promise<Invitation> {
  const invitation = await em.findOne(InvitationEntity, { storeId, invitationId });
  if (!invitation) throw new Fault('INVITATION_NOT_FOUND');
  return invitation;
}

/** Newest first; `status`: only those. */
export async function listInvitations(
  { em, storeId }: Tx,
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
  readonly status: InvitationStatus;
}
/** The invitation of a link, in any store and of any status; null for an unknown or replaced link. */
export async function findLink(orm: MikroORM, token: string): Promise<Link | null> {
  const [row] = await sqlOn(orm)<{
    store_id: string;
    sandbox: boolean;
    clock_offset_ms: string;
    invitation_id: string;
    email: string;
    send_no: number;
    status: InvitationStatus;
  }>`SELECT * FROM lookup_link(${hashSecret(token).toString('hex')})`;
  if (!row) return null;
  const tenant = { storeId: row.store_id, status: 'ACTIVE', sandbox: row.sandbox, clockOffsetMs: Number(row.clock_offset_ms) };
  const { invitation_id: invitationId, email, send_no: sendNo } = row;
  return { tenant, invitationId, email, sendNo, status: row.status };
}

/** How its fields are listed in previews and in the audit log. */
export const INVITATION_LISTING: Listing = { given: ['invitationId', 'createdAt', 'expiresAt'] };

/** The API's view, without the link, which is only for the recipient. */
export const viewInvitation = (invitation: Invitation) => ({
  invitationId: invitation.invitationId,
  email: invitation.email,
  role: invitation.role,
  status: invitation.status,
  deliveryStatus: invitation.deliveryStatus ?? null,
  deliveryErrorCode: invitation.deliveryErrorCode ?? null,
  expiresAt: koreanOf(invitation.expiresAt),
  createdAt: koreanOf(invitation.createdAt),
});
