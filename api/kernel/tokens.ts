/** Access tokens: RS256 by jose, the private keys sealed in Postgres, reloaded while the process runs. */
import { type CryptoKey, importJWK, importPKCS8, type JWK, jwtVerify, SignJWT } from 'jose';
import type { MikroORM } from '@mikro-orm/postgresql';
import { type SigningKey, signingKeys } from '../../db/identity/signingKeys.ts';
import type { Keyring } from '../../db/kernel/keyring.ts';
import { AUDIENCE } from '../../domain/identity/rules.ts';

export const TOKEN_SECONDS = 3600;
/** A buyer's token (docs/contract.md#customers). */
export const MEMBER_SECONDS = 30 * 60;
const RELOAD_MS = 60_000;
/** An unknown key id asks for a reload at most this often. */
const IMPATIENT_MS = 5000;

/** How its holder came in. `console`: a person at the console client; `app`: a person at another client. */
export type Origin = 'console' | 'app' | 'm2m' | 'storefront';

/** A person's token before a store is chosen. */
export interface UserClaims {
  readonly use: 'user';
  readonly userId: string;
  readonly clientId: string;
  readonly loginId: string;
  readonly origin: Origin;
  readonly scopes: readonly string[];
  /** Seconds since 1970 at which the provider saw the person log in. */
  readonly authTime: number;
}
/** A store's token: a server's, or a person's after the exchange. */
export interface StoreClaims {
  readonly use: 'store';
  readonly storeId: string;
  readonly clientId: string;
  readonly origin: Origin;
  readonly scopes: readonly string[];
  readonly person: MemberPerson | null;
}
/** A person in a store. */
export interface MemberPerson extends Pick<UserClaims, 'userId' | 'loginId' | 'authTime'> {
  /** When their membership began, in ms: the token ends with it, also where they come back (X25). Null in tokens of before it was told. */
  readonly joinedAt: number | null;
}
/** A buyer's token. */
export interface MemberClaims {
  readonly use: 'member';
  readonly storeId: string;
  readonly customerId: string;
  /** The client that the buyer was delegated to; null after a login of their own. */
  readonly clientId: string | null;
  /** Of the customer's tokens; those of before this was counted are of the first, 0 (X8). */
  readonly generation: number;
}
export type Claims = UserClaims | StoreClaims | MemberClaims;

export interface TokenKeys {
  sign(claims: Claims, realNow: number, seconds?: number): Promise<string>;
  /** The claims of a valid token, or null. Our keys are the proof: processes may go by different addresses. */
  verify(token: string, realNow: number): Promise<Claims | null>;
  readonly jwks: { readonly keys: readonly JWK[] };
  /** Reloads no more. */
  close(): void;
}

interface Loaded {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicKeys: ReadonlyMap<string, CryptoKey>;
  readonly jwks: { readonly keys: readonly JWK[] };
}

/** Loads the signing keys, making the first one when there is none; parallel processes agree on one. */
export async function loadTokenKeys(orm: MikroORM, keyring: Keyring, issuer: string, realNow: number): Promise<TokenKeys> {
  let loaded = await read(await signingKeys(orm, keyring, realNow));
  let loadedAt = realNow;
  const reload = async () => {
    loadedAt = Date.now();
    // While Postgres is away, or a key was sealed under one that this process does not have, the keys that are known go on.
    loaded = await signingKeys(orm, keyring, loadedAt)
      .then(read)
      .catch(() => loaded);
  };
  const reloading = setInterval(() => void reload(), RELOAD_MS).unref();
  const publicKey = async (kid: string | undefined): Promise<CryptoKey> => {
    if (kid !== undefined && !loaded.publicKeys.has(kid) && Date.now() - loadedAt > IMPATIENT_MS) await reload();
    const key = loaded.publicKeys.get(kid ?? '');
    if (!key) throw new Error('unknown key');
    return key;
  };
  return {
    close: () => clearInterval(reloading),
    get jwks() {
      return loaded.jwks;
    },
    sign: (claims, now, seconds = TOKEN_SECONDS) => {
      const { subject, payload } = wireOf(claims);
      const at = Math.floor(now / 1000);
      return new SignJWT(payload)
        .setProtectedHeader({ alg: 'RS256', kid: loaded.kid, typ: 'at+jwt' })
        .setIssuer(issuer)
        .setAudience(AUDIENCE)
        .setSubject(subject)
        .setJti(crypto.randomUUID())
        .setIssuedAt(at)
        .setExpirationTime(at + seconds)
        .sign(loaded.privateKey);
    },
    async verify(token, now) {
      // The last character of a signature has bits that say nothing: a token is counted by how it is spelt, so it has one spelling.
      const signature = token.slice(token.lastIndexOf('.') + 1);
      if (Buffer.from(signature, 'base64url').toString('base64url') !== signature) return null;
      try {
        const { payload } = await jwtVerify(token, ({ kid }) => publicKey(kid), {
          algorithms: ['RS256'],
          typ: 'at+jwt',
          currentDate: new Date(now),
        });
        return claimsOf(payload);
      } catch {
        return null;
      }
    },
  };
}

async function read(keys: readonly SigningKey[]): Promise<Loaded> {
  const current = keys.find(({ status }) => status === 'current');
  if (!current) throw new Error('There is no signing key.');
  const publicKeys = await Promise.all(keys.map(async ({ kid, publicJwk }) => [kid, await imported(publicJwk)] as const));
  return {
    kid: current.kid,
    privateKey: await importPKCS8(current.privateKey(), 'RS256'),
    publicKeys: new Map(publicKeys),
    jwks: { keys: keys.map(({ publicJwk }) => publicJwk) },
  };
}
async function imported(jwk: JWK): Promise<CryptoKey> {
  const key = await importJWK(jwk, 'RS256');
  if (key instanceof Uint8Array) throw new Error('A signing key must be asymmetric.');
  return key;
}

type Wire = Record<string, string | number>;

function wireOf(claims: Claims): { subject: string; payload: Wire } {
  if (claims.use === 'member')
    return {
      subject: claims.customerId,
      payload: {
        use: 'member',
        store_id: claims.storeId,
        scope: 'member',
        generation: claims.generation,
        ...(claims.clientId !== null && { client_id: claims.clientId }),
      },
    };
  const { clientId, origin, scopes } = claims;
  const common = { client_id: clientId, origin, scope: scopes.join(' ') };
  const who = claims.use === 'user' ? claims : claims.person;
  const person = who && { login_id: who.loginId, auth_time: who.authTime };
  if (claims.use === 'user') return { subject: claims.userId, payload: { use: 'user', ...common, ...person } };
  const joinedAt = claims.person?.joinedAt ?? null;
  const payload = { use: 'store', store_id: claims.storeId, ...common, ...person, ...(joinedAt !== null && { joined_at: joinedAt }) };
  return { subject: who?.userId ?? clientId, payload };
}

function claimsOf(payload: Record<string, unknown>): Claims | null {
  const text = (name: string) => (typeof payload[name] === 'string' ? payload[name] : null);
  const [use, subject, clientId, storeId, loginId] = ['use', 'sub', 'client_id', 'store_id', 'login_id'].map(text);
  if (!subject) return null;
  // A generation of before they were counted is the first.
  const number = (name: string) => (typeof payload[name] === 'number' ? payload[name] : 0);
  if (use === 'member')
    return storeId ? { use, storeId, customerId: subject, clientId: clientId ?? null, generation: number('generation') } : null;
  const scopes = (text('scope') ?? '').split(' ').filter(Boolean);
  const origin = text('origin') as Origin | null;
  if (!clientId || !origin) return null;
  const authTime = number('auth_time');
  if (use === 'user') return loginId ? { use, userId: subject, clientId, loginId, origin, scopes, authTime } : null;
  if (use !== 'store' || !storeId) return null;
  const joinedAt = number('joined_at') || null;
  return { use, storeId, clientId, origin, scopes, person: loginId ? { userId: subject, loginId, authTime, joinedAt } : null };
}
