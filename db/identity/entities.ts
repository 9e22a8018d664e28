import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { AuthMethod, GrantType, Role } from '../../domain/identity/rules.ts';
import { storeId, textList, time } from '../kernel/columns.ts';

export const ClientEntity = defineEntity({
  name: 'Client',
  tableName: 'client',
  properties: {
    storeId: storeId(),
    clientId: p.string().primary(),
    name: p.string(),
    /** SHA-256; null for public clients. */
    secretHash: p.blob().nullable(),
    secretPrefix: p.string().nullable(),
    scopes: textList(),
    authMethod: p.string().$type<AuthMethod>(),
    grantTypes: textList().$type<GrantType[]>(),
    redirectUris: textList(),
    status: p.string().$type<'ACTIVE' | 'REVOKED'>(),
    /** The user who registered it; null for a store's first client. */
    createdBy: p.string().nullable(),
    createdAt: time(),
    revokedAt: time().nullable(),
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
    /** `next` is published before it signs; `previous` verifies what it has signed. */
    status: p.string().$type<'next' | 'current' | 'previous'>(),
    createdAt: time(),
    /** Since when it only verifies. */
    replacedAt: time().nullable(),
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
    usedAt: time().nullable(),
    expiresAt: time(),
  },
});

export const UserEntity = defineEntity({
  name: 'User',
  tableName: 'user_account',
  properties: {
    userId: p.string().primary(),
    email: p.string(),
    name: p.string().nullable(),
    /** `iss` and `sub` of the OpenID provider; null until the first login. */
    issuer: p.string().nullable(),
    subject: p.string().nullable(),
    createdAt: time(),
  },
});

export const MemberEntity = defineEntity({
  name: 'Member',
  tableName: 'member',
  properties: { storeId: storeId(), userId: p.string().primary(), role: p.string().$type<Role>(), createdAt: time() },
});

export const ApiTokenEntity = defineEntity({
  name: 'ApiToken',
  tableName: 'api_token',
  properties: {
    storeId: storeId(),
    tokenId: p.string().primary(),
    name: p.string(),
    scopes: textList(),
    purpose: p.string().$type<'plain' | 'agent'>(),
    tokenHash: p.blob(),
    tokenPrefix: p.string(),
    createdBy: p.string(),
    createdAt: time(),
    expiresAt: time().nullable(),
    lastUsedAt: time().nullable(),
    revokedAt: time().nullable(),
  },
});

/** An authorization request that waits for the OpenID provider. Real times, here and below. */
export const LoginRequestEntity = defineEntity({
  name: 'LoginRequest',
  tableName: 'login_request',
  properties: {
    requestId: p.string().primary(),
    clientId: p.string(),
    redirectUri: p.string(),
    scopes: textList(),
    state: p.string(),
    codeChallenge: p.string(),
    /** What the tokens are for (RFC 8707); null: the API. Also below. */
    resource: p.string().nullable(),
    verifierSealed: p.string(),
    nonce: p.string(),
    browserHash: p.blob(),
    expiresAt: time(),
  },
});

/** A login: the family of the tokens that are issued for it, which are revoked with it. */
export const LoginEntity = defineEntity({
  name: 'Login',
  tableName: 'login',
  properties: {
    loginId: p.string().primary(),
    /** The console is in no table: no foreign key. */
    clientId: p.string(),
    userId: p.string(),
    scopes: textList(),
    resource: p.string().nullable(),
    authenticatedAt: time(),
    createdAt: time(),
    revokedAt: time().nullable(),
  },
});

/** An authorization code, as SHA-256. */
export const AuthCodeEntity = defineEntity({
  name: 'AuthCode',
  tableName: 'auth_code',
  properties: {
    codeHash: p.blob().primary(),
    loginId: p.string(),
    redirectUri: p.string(),
    codeChallenge: p.string(),
    expiresAt: time(),
    usedAt: time().nullable(),
  },
});

/** A refresh token, as SHA-256. */
export const RefreshTokenEntity = defineEntity({
  name: 'RefreshToken',
  tableName: 'refresh_token',
  properties: {
    tokenHash: p.blob().primary(),
    loginId: p.string(),
    expiresAt: time(),
    createdAt: time(),
    usedAt: time().nullable(),
  },
});

/** A login that waits for the person's consent. */
export const ConsentRequestEntity = defineEntity({
  name: 'ConsentRequest',
  tableName: 'consent_request',
  properties: {
    consentId: p.string().primary(),
    clientId: p.string(),
    userId: p.string(),
    redirectUri: p.string(),
    scopes: textList(),
    state: p.string(),
    codeChallenge: p.string(),
    resource: p.string().nullable(),
    authenticatedAt: time(),
    browserHash: p.blob(),
    expiresAt: time(),
  },
});
