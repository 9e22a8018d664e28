import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { storeId, textList, time } from '../kernel/columns.ts';

export const ClientEntity = defineEntity({
  name: 'Client',
  tableName: 'client',
  properties: {
    storeId: storeId(),
    clientId: p.string().primary(),
    name: p.string(),
    secretHash: p.blob(),
    secretPrefix: p.string(),
    scopes: textList(),
    status: p.string().$type<'ACTIVE' | 'REVOKED'>(),
    createdAt: time(),
  },
});
export type Client = InferEntity<typeof ClientEntity>;

export const SigningKeyEntity = defineEntity({
  name: 'SigningKey',
  tableName: 'signing_key',
  properties: {
    kid: p.string().primary(),
    publicJwk: p.json<Record<string, unknown>>(),
    privateSealed: p.string(),
    status: p.string().$type<'current' | 'previous'>(),
    createdAt: time(),
  },
});

export const GuestSessionEntity = defineEntity({
  name: 'GuestSession',
  tableName: 'guest_session',
  properties: {
    storeId: storeId(),
    sessionId: p.string().primary(),
    tokenHash: p.blob(),
    createdAt: time(),
    expiresAt: time(),
  },
});
