/** Access tokens: JWTs signed with RS256; the private keys are encrypted in Postgres and reloaded regularly. */
import { type CryptoKey, errors, importJWK, importPKCS8, type JWK, type JWTPayload, jwtVerify, type JWTVerifyGetKey, SignJWT } from 'jose';
import type { MikroORM } from '@mikro-orm/postgresql';
import { type SigningKey, signingKeys } from '../../db/identity/signingKeys.ts';
import type { Keyring } from '../../db/kernel/keyring.ts';
import { AUDIENCE } from '../../domain/identity/rules.ts';
import type { Claims, Origin, TokenKeys } from '../declare/tokens.ts';
import { Verified } from './verified.ts';

export const TOKEN_SECONDS = 3600;
/** The lifetime of a buyer's token (docs/contract.md#customers). */
export const MEMBER_SECONDS = 30 * 60;
const RELOAD_MS = 60_000;
/** A token with an unknown `kid` triggers a reload at most this often. */
const MIN_RELOAD_GAP_MS = 5000;

interface Loaded {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicKeys: ReadonlyMap<string, CryptoKey>;
  readonly jwks: { readonly keys: readonly JWK[] };
  /** By these keys. */
  readonly verified: Verified<JWTPayload>;
}

/** Loads the signing keys, and creates the first one when there is none; concurrent processes agree on one. */
export async function loadTokenKeys(orm: MikroORM, keyring: Keyring, issuer: string, realNow: number): Promise<TokenKeys> {
  let loaded = await loadedOf(await signingKeys(orm, keyring, realNow));
  let loadedAt = realNow;
  const reload = async () => {
    loadedAt = Date.now();
    // In an outage of Postgres, or with a key that this process cannot decrypt, the loaded keys stay in use.
    loaded = await signingKeys(orm, keyring, loadedAt)
      .then(loadedOf)
      .catch(() => loaded);
  };
  const reloading = setInterval(() => void reload(), RELOAD_MS).unref();
  const publicKey = async (kid: string | undefined): Promise<CryptoKey> => {
    if (kid !== undefined && !loaded.publicKeys.has(kid) && Date.now() - loadedAt > MIN_RELOAD_GAP_MS) await reload();
    const key = loaded.publicKeys.get(kid ?? '');
    if (!key) throw new Error('unknown key');
    return key;
  };
  const verified = async (token: string, audience: string, now: number): Promise<JWTPayload | null> => {
    // Of the keys that are loaded now: whatever a reload takes away verifies nothing any more.
    const { verified: known } = loaded;
    const seen = known.find(token, audience);
    if (seen) return seen;
    const payload = await payloadOf(token, ({ kid }) => publicKey(kid), audience, now);
    if (payload) known.add(token, audience, payload);
    return payload;
  };
  const read: TokenKeys['read'] = async (token, now, resource) => {
    // The last base64url character of a signature has unused bits. Rate limits count by the token's text, so only one spelling is valid.
    const signature = token.slice(token.lastIndexOf('.') + 1);
    if (Buffer.from(signature, 'base64url').toString('base64url') !== signature) return null;
    const payload = await verified(token, resource ?? AUDIENCE, now);
    const claims = payload && claimsOf(payload, resource ?? null);
    return claims && { claims, isExpired: isExpired(payload, now) };
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
        .setAudience((claims.use === 'user' ? claims.resource : null) ?? AUDIENCE)
        .setSubject(subject)
        .setJti(crypto.randomUUID())
        .setIssuedAt(at)
        .setExpirationTime(at + seconds)
        .sign(loaded.privateKey);
    },
    read,
    async verify(token, now) {
      const found = await read(token, now);
      return found?.isExpired === false ? found.claims : null;
    },
  };
}

/** The payload of a token with a signature of ours for this audience, expired or not; null otherwise. */
async function payloadOf(token: string, key: JWTVerifyGetKey, audience: string, now: number): Promise<JWTPayload | null> {
  try {
    const { payload } = await jwtVerify(token, key, { algorithms: ['RS256'], typ: 'at+jwt', audience, currentDate: new Date(now) });
    return payload;
  } catch (error) {
    // Thrown after the signature was verified.
    return error instanceof errors.JWTExpired ? error.payload : null;
  }
}
const isExpired = ({ exp = 0 }: JWTPayload, now: number): boolean => exp <= Math.floor(now / 1000);

async function loadedOf(keys: readonly SigningKey[]): Promise<Loaded> {
  const current = keys.find(({ status }) => status === 'current');
  if (!current) throw new Error('There is no signing key.');
  const publicKeys = await Promise.all(keys.map(async ({ kid, publicJwk }) => [kid, await imported(publicJwk)] as const));
  return {
    kid: current.kid,
    privateKey: await importPKCS8(current.privateKey(), 'RS256'),
    publicKeys: new Map(publicKeys),
    jwks: { keys: keys.map(({ publicJwk }) => publicJwk) },
    verified: new Verified(),
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

function claimsOf(payload: Record<string, unknown>, resource: string | null): Claims | null {
  const text = (name: string) => (typeof payload[name] === 'string' ? payload[name] : null);
  const [use, subject, clientId, storeId, loginId] = ['use', 'sub', 'client_id', 'store_id', 'login_id'].map(text);
  if (!subject) return null;
  // Absent in tokens issued before generations existed: 0.
  const number = (name: string) => (typeof payload[name] === 'number' ? payload[name] : 0);
  if (use === 'member')
    return storeId ? { use, storeId, customerId: subject, clientId: clientId ?? null, generation: number('generation') } : null;
  const scopes = (text('scope') ?? '').split(' ').filter(Boolean);
  const origin = text('origin') as Origin | null;
  if (!clientId || !origin) return null;
  const authTime = number('auth_time');
  if (use === 'user') return loginId ? { use, userId: subject, clientId, loginId, origin, scopes, authTime, resource } : null;
  if (use !== 'store' || !storeId) return null;
  const joinedAt = number('joined_at') || null;
  return { use, storeId, clientId, origin, scopes, person: loginId ? { userId: subject, loginId, authTime, joinedAt } : null };
}
