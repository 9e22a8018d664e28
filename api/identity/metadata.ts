/** RFC 8414: what this authorization server can do. */
import { GRANT_TYPES, SCOPES } from '../../domain/identity/rules.ts';

export const metadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/oauth2/authorize`,
  token_endpoint: `${issuer}/oauth2/token`,
  registration_endpoint: `${issuer}/oauth2/register`,
  jwks_uri: `${issuer}/.well-known/jwks.json`,
  scopes_supported: [...SCOPES, 'openid', 'offline_access'],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: GRANT_TYPES,
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'none'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
});
