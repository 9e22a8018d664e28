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
    /** Of the link that counts: a resend replaces it. SHA-256, and sealed for the mail. */
    tokenHash: p.blob(),
    tokenSealed: p.string(),
    /** Counts the links from 1. */
    sendNo: p.integer(),
    /** Tries of the present mail. */
    sendAttempts: p.integer(),
    /** When the next try is due; null: none. */
    nextSendAt: time().nullable(),
    deliveryStatus: p.string().$type<'SENT' | 'FAILED'>().nullable(),
    deliveryErrorCode: p.string().nullable(),
    expiresAt: time(),
    createdAt: time(),
  },
});
export type Invitation = InferEntity<typeof InvitationEntity>;
