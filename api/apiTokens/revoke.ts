import { revokeApiToken } from '../../db/identity/apiTokens.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Type } from '../declare/schema.ts';
import { API_TOKEN } from './subject.ts';

export const revoke = endpoint({
  id: 'apiTokens.revoke',
  route: 'DELETE /v1/store/api-tokens/{tokenId}',
  summary: 'Revoke an API token at once',
  access: 'store',
  console: ['OWNER', 'ADMIN'],
  agent: 'denied',
  target: API_TOKEN,
  change: 'here',
  data: Type.Null(),
  errors: ['API_TOKEN_NOT_FOUND'],
}).handle(async ({ tx, params }) => {
  await revokeApiToken(tx, params.tokenId);
  return null;
});
