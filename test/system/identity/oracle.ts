/**
 * The certified `oidc-provider`, set up with the rules of our contract as far as it has words for them: who accepts what
 * is compared with ours. It keeps its tokens in memory.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { errors, Provider } from 'oidc-provider';
import { CALLBACK, CONSOLE } from '../../kernel/login.ts';

const API = 'urn:svc:api';
const USER = 'usr_oracle';

/** The server client that both sides know. */
export interface KnownServer {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
}

export interface Oracle {
  readonly url: string;
  /** A code for the console. */
  code(scope: string, challenge: string): Promise<string>;
  /** A refresh token of the console. */
  refreshToken(scope: string): Promise<string>;
  close(): void;
}

export async function startOracle(server: KnownServer, consoleScopes: readonly string[]): Promise<Oracle> {
  const http = createServer();
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' };
  const provider = new Provider(url, { ...settings(server, consoleScopes), jwks: { keys: [jwk] } });
  const handle = provider.callback();
  http.on('request', (request, response) => void handle(request, response));
  const granted = async (scope: string) => {
    const client = (await provider.Client.find(CONSOLE))!;
    const grant = new provider.Grant({ clientId: CONSOLE, accountId: USER });
    grant.addOIDCScope(scope);
    grant.addResourceScope(API, scope);
    return { client, accountId: USER, grantId: await grant.save(), scope, resource: API, gty: 'authorization_code' };
  };
  return {
    url,
    code: async (scope, challenge) =>
      new provider.AuthorizationCode({
        ...(await granted(scope)),
        redirectUri: CALLBACK,
        codeChallenge: challenge,
        codeChallengeMethod: 'S256',
      }).save(),
    refreshToken: async (scope) => new provider.RefreshToken(await granted(scope)).save(),
    close: () => close(http),
  };
}
function close(http: Server): void {
  http.closeAllConnections();
  http.close();
}

function settings(server: KnownServer, consoleScopes: readonly string[]): ConstructorParameters<typeof Provider>[1] {
  return {
    clients: [
      {
        client_id: CONSOLE,
        token_endpoint_auth_method: 'none',
        application_type: 'native',
        redirect_uris: [CALLBACK],
        response_types: ['code'],
        grant_types: ['authorization_code', 'refresh_token'],
      },
      {
        client_id: server.clientId,
        client_secret: server.clientSecret,
        redirect_uris: [],
        response_types: [],
        grant_types: ['client_credentials'],
        scope: server.scopes.join(' '),
      },
    ],
    scopes: [...new Set([...consoleScopes, ...server.scopes, 'offline_access'])],
    pkce: { required: () => true },
    // A callback on loopback may have any port, and `state` must be there.
    extraParams: {
      state: (_, value) => {
        if (!value) throw new errors.InvalidRequest('missing required parameter(s) state');
      },
    },
    cookies: { keys: ['oracle'] },
    routes: { authorization: '/oauth2/authorize', token: '/oauth2/token' },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      pushedAuthorizationRequests: { enabled: false },
      dPoP: { enabled: false },
      userinfo: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => API,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, __, client) => ({
          scope: (client.clientId === CONSOLE ? consoleScopes : server.scopes).join(' '),
          audience: API,
          accessTokenTTL: 3600,
          accessTokenFormat: 'jwt' as const,
          jwt: { sign: { alg: 'RS256' as const } },
        }),
      },
    },
    rotateRefreshToken: true,
    issueRefreshToken: (_, __, code) => code.scopes.has('offline_access'),
    renderError: (ctx, { error }) => {
      ctx.body = error;
    },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    ttl: {
      AuthorizationCode: 60,
      RefreshToken: 86_400,
      Grant: 86_400,
      Interaction: 600,
      Session: 600,
      ClientCredentials: 3600,
      AccessToken: 3600,
    },
  };
}
