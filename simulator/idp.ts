/**
 * The development identity provider: any e-mail address logs in with any password and counts as verified. Its pages are oidc-provider's
 * development forms, without scripts.
 */
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

export async function startIdp(port: number, redirectUri: string): Promise<void> {
  const provider = new Provider(`http://127.0.0.1:${port}`, {
    clients: [
      {
        client_id: 'sangjeom',
        client_secret: 'sangjeom-development',
        redirect_uris: [redirectUri],
        response_types: ['code'],
        grant_types: ['authorization_code'],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: false,
    cookies: { keys: ['development'] },
    pkce: { required: () => true },
    findAccount: (_, id) => {
      const email = id.includes('@') ? id.toLowerCase() : `${id.toLowerCase()}@example.com`;
      return { accountId: id, claims: () => ({ sub: email, email, email_verified: true, name: email.split('@')[0]! }) };
    },
    // No consent page: all requested scopes are granted.
    loadExistingGrant: async (ctx) => {
      const { client, session, params } = ctx.oidc;
      const grant = new ctx.oidc.provider.Grant({ clientId: client!.clientId, accountId: session!.accountId! });
      grant.addOIDCScope(typeof params!['scope'] === 'string' ? params!['scope'] : 'openid');
      await grant.save();
      return grant;
    },
  });
  const handle = provider.callback();
  await new Promise<void>((resolve, reject) => {
    const server = createServer((request, response) => void handle(request, response));
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
}
