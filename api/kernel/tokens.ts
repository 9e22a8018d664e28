/** Access tokens: RS256 by jose, the private key sealed in Postgres. */
import {
  calculateJwkThumbprint,
  exportJWK,
  exportPKCS8,
  generateKeyPair,
  importJWK,
  importPKCS8,
  type JWK,
  jwtVerify,
  SignJWT,
} from 'jose';
import type { MikroORM } from '@mikro-orm/postgresql';
import { SigningKeyEntity } from '../../db/identity/entities.ts';
import type { Keyring, Place } from '../../db/kernel/keyring.ts';

export const TOKEN_SECONDS = 3600;

export interface Claims {
  readonly clientId: string;
  readonly storeId: string;
  readonly scopes: readonly string[];
}
export interface TokenKeys {
  sign(claims: Claims, realNow: number): Promise<string>;
  /** The claims of a valid store token, or null. Our keys are the proof: processes may go by different addresses. */
  verify(token: string, realNow: number): Promise<Claims | null>;
  readonly jwks: { readonly keys: readonly JWK[] };
}
const place = (kid: string): Place => ({ store: '-', table: 'signing_key', row: kid, column: 'private' });

/** Loads the signing keys, making the first one when there is none; parallel processes agree on one. */
export async function loadTokenKeys(orm: MikroORM, keyring: Keyring, issuer: string, realNow: number): Promise<TokenKeys> {
  let rows = await orm.em.fork().find(SigningKeyEntity, {}, { orderBy: { createdAt: 'desc' } });
  if (!rows.some((row) => row.status === 'current')) {
    await makeKey(orm, keyring, realNow).catch(() => {});
    rows = await orm.em.fork().find(SigningKeyEntity, {}, { orderBy: { createdAt: 'desc' } });
  }
  const current = rows.find((row) => row.status === 'current');
  if (!current) throw new Error('There is no signing key.');
  const privateKey = await importPKCS8(keyring.open(current.privateSealed, place(current.kid)), 'RS256');
  const publicKeys = new Map(
    await Promise.all(rows.map(async (row) => [row.kid, await importJWK(row.publicJwk as JWK, 'RS256')] as const)),
  );
  return {
    jwks: { keys: rows.map((row) => row.publicJwk as JWK) },
    sign: ({ clientId, storeId, scopes }, now) =>
      new SignJWT({ use: 'store', store_id: storeId, origin: 'm2m', client_id: clientId, scope: scopes.join(' ') })
        .setProtectedHeader({ alg: 'RS256', kid: current.kid, typ: 'at+jwt' })
        .setIssuer(issuer)
        .setSubject(clientId)
        .setJti(crypto.randomUUID())
        .setIssuedAt(Math.floor(now / 1000))
        .setExpirationTime(Math.floor(now / 1000) + TOKEN_SECONDS)
        .sign(privateKey),
    async verify(token, now) {
      try {
        const { payload } = await jwtVerify(token, ({ kid }) => publicKeys.get(kid ?? '') ?? Promise.reject(new Error('unknown key')), {
          algorithms: ['RS256'],
          typ: 'at+jwt',
          currentDate: new Date(now),
        });
        const { client_id: clientId, store_id: storeId, scope, use } = payload as Record<string, unknown>;
        if (use !== 'store' || typeof clientId !== 'string' || typeof storeId !== 'string' || typeof scope !== 'string') return null;
        return { clientId, storeId, scopes: scope.split(' ').filter(Boolean) };
      } catch {
        return null;
      }
    },
  };
}

async function makeKey(orm: MikroORM, keyring: Keyring, realNow: number): Promise<void> {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true });
  const jwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  const em = orm.em.fork();
  em.persist(
    em.create(SigningKeyEntity, {
      kid,
      publicJwk: { ...jwk, kid, alg: 'RS256', use: 'sig' },
      privateSealed: keyring.seal(await exportPKCS8(privateKey), place(kid)),
      status: 'current',
      createdAt: new Date(realNow),
    }),
  );
  await em.flush();
}
