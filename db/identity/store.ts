/** Clients and guest sessions. Secrets are kept as SHA-256 only. */
import { randomBytes } from 'node:crypto';
import { DAY } from '../../workflows/kernel/time.ts';
import { newId } from '../kernel/clock.ts';
import { hashSecret, isSecret } from '../kernel/keyring.ts';
import { type Em, sql } from '../orm.ts';
import { type Client, ClientEntity, GuestSessionEntity } from './entities.ts';

const SESSION_MS = 30 * DAY;

/** A guest session on the store's clock; the token is answered once. */
export function openSession(em: Em, storeId: string, at: number): { cartToken: string; expiresAt: number } {
  const cartToken = randomBytes(32).toString('base64url');
  const expiresAt = at + SESSION_MS;
  em.persist(
    em.create(GuestSessionEntity, {
      storeId,
      sessionId: newId('gst', at),
      tokenHash: hashSecret(cartToken),
      createdAt: new Date(at),
      expiresAt: new Date(expiresAt),
    }),
  );
  return { cartToken, expiresAt };
}

/** The session of a token that has not expired, or null. */
export async function findSession(em: Em, storeId: string, token: string, at: number): Promise<string | null> {
  const [row] = await sql<{ session_id: string }>(
    em,
    'SELECT session_id FROM guest_session WHERE store_id = ? AND token_hash = ? AND expires_at > ?',
    [storeId, hashSecret(token), new Date(at)],
  );
  return row?.session_id ?? null;
}

/** The active client whose secret this is, or null; unknown, wrong and revoked are alike. */
export async function findClient(em: Em, storeId: string, clientId: string, secret: string): Promise<Client | null> {
  const client = await em.findOne(ClientEntity, { storeId, clientId });
  return client && isSecret(secret, client.secretHash) && client.status === 'ACTIVE' ? client : null;
}

/** A confidential client bound to its store. The secret is answered once. */
export function createClient(
  em: Em,
  storeId: string,
  name: string,
  scopes: readonly string[],
  at: number,
): { clientId: string; clientSecret: string } {
  const clientId = newId('cli', at);
  const clientSecret = `svcs_${randomBytes(32).toString('base64url')}`;
  em.persist(
    em.create(ClientEntity, {
      storeId,
      clientId,
      name,
      scopes: [...scopes],
      secretHash: hashSecret(clientSecret),
      secretPrefix: clientSecret.slice(0, 9),
      status: 'ACTIVE',
      createdAt: new Date(at),
    }),
  );
  return { clientId, clientSecret };
}
