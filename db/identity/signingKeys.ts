/** Signing keys of access tokens: `next` is published, `current` signs, `previous` still verifies. */
import { calculateJwkThumbprint, exportJWK, exportPKCS8, generateKeyPair, type JWK } from 'jose';
import type { MikroORM } from '@mikro-orm/postgresql';
import { HOUR, MINUTE } from '../../domain/kernel/time.ts';
import type { Keyring, SealLocation } from '../kernel/keyring.ts';
import type { Em, Tx } from '../kernel/tx.ts';
import { SigningKeyEntity } from './entities.ts';

export interface SigningKey {
  readonly kid: string;
  readonly status: 'next' | 'current' | 'previous';
  readonly publicJwk: JWK;
  /** PKCS #8; decrypted only to sign. */
  privateKey(): string;
}
/** Every process has loaded a published key after this time. */
const PUBLISHED_MS = 2 * MINUTE;
/** The longest lifetime of an access token. */
const TOKEN_MS = HOUR;

export const signingKeyLocation = (kid: string): SealLocation => ({ store: '-', table: 'signing_key', row: kid, column: 'private' });

export async function signingKeys(orm: MikroORM, keyring: Keyring, realNow: number): Promise<SigningKey[]> {
  const read = () => orm.em.fork().find(SigningKeyEntity, {}, { orderBy: { createdAt: 'desc' } });
  let rows = await read();
  if (!rows.some(({ status }) => status === 'current')) {
    // Another process may insert the first key concurrently: then that one is used.
    await addKey(orm.em.fork(), keyring, 'current', realNow).catch(() => undefined);
    rows = await read();
  }
  return rows.map(({ kid, status, publicJwk, privateSealed }) => ({
    kid,
    status,
    publicJwk: publicJwk as JWK,
    privateKey: () => keyring.open(privateSealed, signingKeyLocation(kid)),
  }));
}

async function addKey(em: Em, keyring: Keyring, status: 'next' | 'current', realNow: number): Promise<string> {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true });
  const jwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  em.persist(
    em.create(SigningKeyEntity, {
      kid,
      publicJwk: { ...jwk, kid, alg: 'RS256', use: 'sig' },
      privateSealed: keyring.seal(await exportPKCS8(privateKey), signingKeyLocation(kid)),
      status,
      createdAt: new Date(realNow),
    }),
  );
  await em.flush();
  return kid;
}

/**
 * One step of a rotation, by an operator: publishes a next key; once every process has loaded it, makes it current. The previous one
 * verifies until its last token has expired.
 */
export async function rotateSigningKeys(
  { em, sql, realNow }: Tx,
  keyring: Keyring,
): Promise<{ step: 'published' | 'waiting' | 'promoted'; kid: string }> {
  await sql`DELETE FROM signing_key WHERE status = 'previous' AND replaced_at < ${new Date(realNow - TOKEN_MS - PUBLISHED_MS)}`;
  const next = await em.findOne(SigningKeyEntity, { status: 'next' });
  if (!next) return { step: 'published', kid: await addKey(em, keyring, 'next', realNow) };
  if (next.createdAt.getTime() > realNow - PUBLISHED_MS) return { step: 'waiting', kid: next.kid };
  await sql`UPDATE signing_key SET status = 'previous', replaced_at = ${new Date(realNow)} WHERE status = 'current'`;
  await sql`UPDATE signing_key SET status = 'current' WHERE kid = ${next.kid}`;
  return { step: 'promoted', kid: next.kid };
}
