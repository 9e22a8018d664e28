import type { ShownClient } from '../../db/identity/clients.ts';
import { GRANT_TYPES } from '../../domain/identity/rules.ts';
import { koreanOf } from '../../domain/kernel/time.ts';
import { type Cut, Truncated } from '../declare/shortened.ts';
import { closed, Id, nullable, oneOf, Timestamp, Type } from '../declare/schema.ts';

const fields = {
  clientId: Id,
  clientName: Type.String(),
  grantTypes: Type.Array(oneOf(GRANT_TYPES)),
  scopes: Type.Array(Type.String()),
  tokenEndpointAuthMethod: oneOf(['none', 'client_secret_basic']),
  redirectUris: Type.Array(Type.String()),
  secretPrefix: nullable(Type.String()),
  status: oneOf(['ACTIVE', 'REVOKED']),
  createdByName: nullable(Type.String()),
  createdByEmail: nullable(Type.String()),
  createdAt: Timestamp,
  revokedAt: nullable(Timestamp),
};
export const ApiClient = closed(fields, { title: 'ApiClient' });
export const ListedClient = closed({ ...fields, truncated: Truncated }, { title: 'ListedApiClient' });
export const CLIENT_CUT: Cut = { texts: ['clientName'], list: 'redirectUris' };
export const NewSecret = closed({ ...fields, clientSecret: Type.String({ description: 'Shown once' }) }, { title: 'NewClientSecret' });

export const viewClient = (client: ShownClient) => ({
  clientId: client.clientId,
  clientName: client.name,
  grantTypes: [...client.grantTypes],
  scopes: [...client.scopes],
  tokenEndpointAuthMethod: client.authMethod,
  redirectUris: [...client.redirectUris],
  secretPrefix: client.secretPrefix ?? null,
  status: client.status,
  createdByName: client.createdByName,
  createdByEmail: client.createdByEmail,
  createdAt: koreanOf(client.createdAt),
  revokedAt: koreanOf(client.revokedAt),
});
