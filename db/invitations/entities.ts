import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { AssignedRole } from '../../domain/identity/rules.ts';
import type { InvitationStatus } from '../../domain/invitations/rules.ts';
import { storeId, time } from '../kernel/columns.ts';

export const InvitationEntity = defineEntity({
  name: 'Invitation',
  tableName: 'invitation',
  properties: {
    storeId: storeId(),
    invitationId: p.string().primary(),
    email: p.string(),
    role: p.string().$type<AssignedRole>(),
    status: p.string().$type<InvitationStatus>(),
    invitedBy: p.string(),
    /** The token of the current link, as SHA-256 and encrypted for the mail; a resend replaces it. */
    tokenHash: p.blob(),
    tokenSealed: p.string(),
    /** The number of the current link, from 1. */
    sendNo: p.integer(),
    /** Finished send attempts of the current link's mail. */
    sendAttempts: p.integer(),
    /** When the next send attempt is due; null: none. */
    nextSendAt: time().nullable(),
    deliveryStatus: p.string().$type<'SENT' | 'FAILED'>().nullable(),
    deliveryErrorCode: p.string().nullable(),
    expiresAt: time(),
    createdAt: time(),
  },
});
export type Invitation = InferEntity<typeof InvitationEntity>;

/** A mail that was sent, for the limits of stores, senders and recipients, which span all stores. Real time. */
export const InvitationSendEntity = defineEntity({
  name: 'InvitationSend',
  tableName: 'invitation_send',
  properties: {
    sendId: p.bigint('number').primary().autoincrement(),
    store: p.string(),
    sender: p.string(),
    recipient: p.string(),
    at: time(),
  },
});
