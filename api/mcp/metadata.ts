/** RFC 9728: what `/mcp` takes. */
import { mcpResource, SCOPES } from '../../domain/identity/rules.ts';

export const METADATA_PATH = '/.well-known/oauth-protected-resource/mcp';

export const resourceMetadata = (publicUrl: string) => ({
  resource: mcpResource(publicUrl),
  authorization_servers: [publicUrl],
  scopes_supported: SCOPES.filter((scope) => scope !== 'member:delegate'),
  bearer_methods_supported: ['header'],
});
