/** OAuth clients: those of stores, and the console, which belongs to no store and comes from the configuration. */
import { randomBytes } from 'node:crypto';
import { LockMode } from '@mikro-orm/core';
import type { MikroORM } from '@mikro-orm/postgresql';
import { type AuthMethod, GRANT_TYPES, type GrantType, SCOPES, TOKEN_EXCHANGE } from '../../domain/identity/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { newId } from '../kernel/clock.ts';
import type { Config } from '../kernel/config.ts';
import { hashSecret } from '../kernel/keyring.ts';
import { sqlOn } from '../kernel/sql.ts';
import type { Tx } from '../kernel/tx.ts';
import { findTenant } from '../stores/queries.ts';
import { type Client, ClientEntity } from './entities.ts';

export interface OAuthClient {
  readonly clientId: string;
  /** Null for the console. */
  readonly storeId: string | null;
  readonly status: 'ACTIVE' | 'REVOKED';
  readonly authMethod: AuthMethod;
  readonly secretHash: Uint8Array | null;
  readonly grantTypes: readonly GrantType[];
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
}

/** A client by its id, or null. */
export async function clientOf({ orm, config }: { orm: MikroORM; config: Config }, clientId: string): Promise<OAuthClient | null> {
  if (clientId === config.console.clientId)
    return {
      clientId,
      storeId: null,
      status: 'ACTIVE',
      authMethod: 'none',
      secretHash: null,
      grantTypes: GRANT_TYPES.filter((grant) => grant !== 'client_credentials'),
      redirectUris: config.console.redirectUris,
      scopes: SCOPES.filter((scope) => scope !== 'member:delegate'),
    };
  if (!/^\w{1,64}$/.test(clientId)) return null;
  const [row] = await sqlOn(orm)<OAuthClientRow>`SELECT * FROM lookup_oauth_client(${clientId})`;
  return row
    ? {
        clientId,
        storeId: row.store_id,
        status: row.status,
        authMethod: row.auth_method,
        secretHash: row.secret_hash,
        grantTypes: row.grant_types,
        redirectUris: row.redirect_uris,
        scopes: row.scopes,
      }
    : null;
}
interface OAuthClientRow {
  readonly store_id: string;
  readonly status: OAuthClient['status'];
  readonly auth_method: AuthMethod;
  readonly secret_hash: Uint8Array | null;
  readonly grant_types: GrantType[];
  readonly redirect_uris: string[];
  readonly scopes: string[];
}

export interface NewClient {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly authMethod: AuthMethod;
  readonly grantTypes: readonly GrantType[];
  readonly redirectUris: readonly string[];
  readonly createdBy: string | null;
}

const newSecret = () => `svcs_${randomBytes(32).toString('base64url')}`;
const storedSecretOf = (secret: string) => ({ secretHash: hashSecret(secret), secretPrefix: secret.slice(0, 9) });

/** Creates a client of a store. The secret of a confidential client is returned only here, and stored as SHA-256. */
export function createClient(
  { em, storeId, realNow: at }: Tx,
  { grantTypes, redirectUris, scopes, ...given }: NewClient,
): { clientId: string; clientSecret: string | null } {
  const clientId = newId('cli', at);
  const clientSecret = given.authMethod === 'none' ? null : newSecret();
  em.persist(
    em.create(ClientEntity, {
      ...given,
      storeId,
      clientId,
      scopes: [...scopes],
      grantTypes: [...grantTypes],
      redirectUris: [...redirectUris],
      ...(clientSecret !== null && storedSecretOf(clientSecret)),
      status: 'ACTIVE',
      createdAt: new Date(at),
    }),
  );
  return { clientId, clientSecret };
}

/** A store's first client: a confidential server client with these scopes. */
export function createServerClient(tx: Tx, name: string, scopes: readonly string[]) {
  const grantTypes = ['client_credentials', TOKEN_EXCHANGE] as const;
  const { clientId, clientSecret } = createClient(tx, {
    name,
    scopes,
    authMethod: 'client_secret_basic',
    grantTypes,
    redirectUris: [],
    createdBy: null,
  });
  return { clientId, clientSecret: clientSecret! };
}

/** A client with the name and e-mail of who registered it. */
export interface ShownClient extends Client {
  readonly createdByName: string | null;
  readonly createdByEmail: string | null;
}

/** Newest first; `status`: only those. */
export async function listClients(
  tx: Tx,
  { status, page, size }: { status: 'ACTIVE' | 'REVOKED' | null; page: number; size: number },
): Promise<{ items: ShownClient[]; total: number }> {
  const { em, storeId } = tx;
  const [clients, total] = await em.findAndCount(
    ClientEntity,
    { storeId, ...(status && { status }) },
    { orderBy: { createdAt: 'desc', clientId: 'desc' }, limit: size, offset: (page - 1) * size },
  );
  return { items: await withAuthors(tx, clients), total };
}

export async function withAuthors({ sql }: Tx, clients: readonly Client[]): Promise<ShownClient[]> {
  const ids = [...new Set(clients.flatMap(({ createdBy }) => createdBy ?? []))];
  const rows =
    ids.length === 0
      ? []
      : await sql<{ user_id: string; name: string | null; email: string }>`
        SELECT user_id, name, email FROM user_account WHERE user_id = ANY(${ids}::text[])`;
  const authors = new Map(rows.map((row) => [row.user_id, row]));
  return clients.map((client) => {
    const author = authors.get(client.createdBy ?? '');
    return { ...client, createdByName: author ? (author.name ?? author.email) : null, createdByEmail: author?.email ?? null };
  });
}

/** A client of this store: TENANT_MISMATCH for another store's (docs/contract.md#clients), CLIENT_NOT_FOUND for an unknown one. */
export async function readClient(tx: Tx, clientId: string): Promise<ShownClient> {
  const [shown] = await withAuthors(tx, [await findClient(tx, clientId)]);
  return shown!;
}
const lockClient = (tx: Tx, clientId: string) => findClient(tx, clientId, LockMode.PESSIMISTIC_WRITE);
async function findClient({ em, sql, storeId }: Tx, clientId: string, lockMode = LockMode.NONE): Promise<Client> {
  const client = await em.findOne(ClientEntity, { storeId, clientId }, { lockMode });
  if (client) return client;
  throw new Fault((await findTenant(sql, 'clientId', clientId)) ? 'TENANT_MISMATCH' : 'CLIENT_NOT_FOUND');
}

/** Replaces the secret; the old one is invalid immediately. */
export async function rotateSecret(tx: Tx, clientId: string): Promise<{ client: Client; clientSecret: string }> {
  const client = await lockClient(tx, clientId);
  if (client.status !== 'ACTIVE' || client.authMethod === 'none') throw new Fault('INVALID_STATUS');
  const clientSecret = newSecret();
  Object.assign(client, storedSecretOf(clientSecret));
  return { client, clientSecret };
}

/** Revokes a client and its logins; its access tokens become invalid, because every request checks the client's status. */
export async function deactivateClient(tx: Tx, clientId: string): Promise<Client> {
  const { sql, realNow: at } = tx;
  const client = await lockClient(tx, clientId);
  if (client.status === 'REVOKED') return client;
  Object.assign(client, { status: 'REVOKED', revokedAt: new Date(at) });
  await sql`UPDATE login SET revoked_at = ${new Date(at)} WHERE client_id = ${clientId} AND revoked_at IS NULL`;
  return client;
}
