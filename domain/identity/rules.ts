/** Who may do what: roles, scopes, redirect addresses (docs/contract.md#access). */

import { isHost } from '../kernel/hosts.ts';

export type Role = 'OWNER' | 'ADMIN' | 'STAFF';
/** The roles that can be assigned; OWNER changes only by a transfer of ownership. */
export type AssignedRole = Exclude<Role, 'OWNER'>;
export type AuthMethod = 'none' | 'client_secret_basic';

/** The `aud` of our access tokens, but for those of `/mcp`. */
export const AUDIENCE = 'urn:svc:api';
/** The `aud` of the tokens that `/mcp` takes. */
export const mcpResource = (publicUrl: string): string => `${publicUrl}/mcp`;

export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
export const GRANT_TYPES = ['authorization_code', 'client_credentials', 'refresh_token', TOKEN_EXCHANGE] as const;
export type GrantType = (typeof GRANT_TYPES)[number];

/** Scopes are `{resource}:{r|rw}`; rw includes r. This lists the widest scope of each resource. */
export const SCOPES = [
  'product:rw',
  'category:rw',
  'order:rw',
  'claim:rw',
  'inquiry:rw',
  'review:rw',
  'settlement:r',
  'analytics:r',
  'webhook:rw',
  'store:rw',
  'customer:rw',
  'promotion:rw',
  'flow:rw',
  'storefront:rw',
  'member:rw',
  'audit:r',
  'member:delegate',
] as const;
type Resource = (typeof SCOPES)[number] extends infer S ? (S extends `${infer R}:${string}` ? R : never) : never;
export type Scope = `${Resource}:${'r' | 'rw'}`;

const EVERYONE = ['product:rw', 'category:rw', 'order:rw', 'claim:rw', 'inquiry:rw', 'review:rw'] as const;
const MANAGERS = [
  ...EVERYONE,
  'settlement:r',
  'analytics:r',
  'customer:rw',
  'webhook:rw',
  'flow:rw',
  'promotion:rw',
  'storefront:rw',
  'store:rw',
  'member:rw',
  'audit:r',
] as const;
/** The scopes that a role grants (docs/contract.md#access). */
export const ROLE_SCOPES: Readonly<Record<Role, readonly string[]>> = {
  OWNER: MANAGERS,
  ADMIN: MANAGERS,
  STAFF: [...EVERYONE, 'customer:r', 'store:r'],
};

/** The scopes of a client without a person: all but `member:rw`, which administers members. */
export const CLIENT_SCOPES: readonly string[] = SCOPES.filter((scope) => scope !== 'member:rw');

/** Whether granted scopes cover a required one: `order:rw` covers `order:r`. */
export const covers = (granted: readonly string[], required: string): boolean =>
  granted.includes(required) || (required.endsWith(':r') && granted.includes(`${required}w`));

/** The scopes that both lists cover: `order:rw` ∩ `order:r` is `order:r`. */
export function intersect(one: readonly string[], other: readonly string[]): string[] {
  const both = [...one.filter((scope) => covers(other, scope)), ...other.filter((scope) => covers(one, scope))];
  return [...new Set(both)].filter((scope) => !(scope.endsWith(':r') && both.includes(`${scope}w`)));
}

/** RFC 6749 § 3.3. */
const SCOPE_LIST = /^[\u0021\u0023-\u005b\u005d-\u007e]+(?: [\u0021\u0023-\u005b\u005d-\u007e]+)*$/;

/** The requested subset of the granted scopes, all of them for null; null when the list is malformed or exceeds the grant. */
export function narrow(granted: readonly string[], requested: string | null): readonly string[] | null {
  if (requested === null) return granted;
  if (!SCOPE_LIST.test(requested)) return null;
  const wanted = [...new Set(requested.split(' '))];
  return wanted.every((scope) => covers(granted, scope)) ? wanted : null;
}

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** Why an address cannot be registered as a redirect, or null: https, or http on loopback; no fragment, no user info. */
export function redirectProblem(uri: string): string | null {
  if (!URL.canParse(uri)) return 'is no absolute address';
  const { protocol, hostname, username, password } = new URL(uri);
  if (uri.includes('#')) return 'has a fragment';
  if (username !== '' || password !== '') return 'has user info';
  if (hostname !== '' && !isHost(hostname)) return 'names no host';
  const isAllowed = protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname));
  return isAllowed ? null : 'must be https, or http on a loopback address';
}

/** RFC 8252 § 7.3: a native app's redirect URI may have any port of a loopback address. */
const withoutPort = (uri: string) => uri.replace(/^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(?=[/?]|$)/, '$1');

/** Whether a redirect URI is registered: equal as a string, except for the port of a loopback address, which must be valid. */
export const isRegistered = (registered: readonly string[], redirectUri: string): boolean =>
  URL.canParse(redirectUri) && registered.some((uri) => uri === redirectUri || withoutPort(uri) === withoutPort(redirectUri));
