/** Who may do what: roles, scopes, redirect addresses (docs/contract.md#access, D28, D29, D63). */

import { isHost } from '../kernel/hosts.ts';

export type Role = 'OWNER' | 'ADMIN' | 'STAFF';
/** What a role can be changed to; OWNER comes only by a transfer of ownership. */
export type AssignedRole = Exclude<Role, 'OWNER'>;
export type AuthMethod = 'none' | 'client_secret_basic';

/** Whom our access tokens are for. */
export const AUDIENCE = 'urn:svc:api';

export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
export const GRANT_TYPES = ['authorization_code', 'client_credentials', 'refresh_token', TOKEN_EXCHANGE] as const;
export type GrantType = (typeof GRANT_TYPES)[number];

/** Scopes are `{resource}:{r|rw}`; rw includes r. These are the widest there are. */
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
/** What a person's role gives (docs/contract.md#access, D28). */
export const ROLE_SCOPES: Readonly<Record<Role, readonly string[]>> = {
  OWNER: MANAGERS,
  ADMIN: MANAGERS,
  STAFF: [...EVERYONE, 'customer:r', 'store:r'],
};

/** What a client may hold without a person: all but the scope that would let it act as a member administrator. */
export const CLIENT_SCOPES: readonly string[] = SCOPES.filter((scope) => scope !== 'member:rw');

/** Whether what a token holds covers a scope: `order:rw` covers `order:r`. */
export const covers = (held: readonly string[], wanted: string): boolean =>
  held.includes(wanted) || (wanted.endsWith(':r') && held.includes(`${wanted}w`));

/** What both sides hold: `order:rw` ∩ `order:r` is `order:r`. */
export function intersect(one: readonly string[], other: readonly string[]): string[] {
  const both = [...one.filter((scope) => covers(other, scope)), ...other.filter((scope) => covers(one, scope))];
  return [...new Set(both)].filter((scope) => !(scope.endsWith(':r') && both.includes(`${scope}w`)));
}

/** RFC 6749 § 3.3. */
const SCOPE_LIST = /^[\u0021\u0023-\u005b\u005d-\u007e]+(?: [\u0021\u0023-\u005b\u005d-\u007e]+)*$/;

/** All that is held, or the part that is asked for; null when more is asked for than is held, or nonsense. */
export function narrow(held: readonly string[], asked: string | null): readonly string[] | null {
  if (asked === null) return held;
  if (!SCOPE_LIST.test(asked)) return null;
  const wanted = [...new Set(asked.split(' '))];
  return wanted.every((scope) => covers(held, scope)) ? wanted : null;
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

/** RFC 8252 § 7.3: a native app may be sent back to any port of a loopback address. */
const withoutPort = (uri: string) => uri.replace(/^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(?=[/?]|$)/, '$1');

/** Whether a redirect is one of those registered, character by character but for a loopback port, which must be one (65536 is none). */
export const isRegistered = (registered: readonly string[], asked: string): boolean =>
  URL.canParse(asked) && registered.some((uri) => uri === asked || withoutPort(uri) === withoutPort(asked));
