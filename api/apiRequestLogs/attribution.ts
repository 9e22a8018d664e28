/** Whose log a request goes to that was answered before, or without, its authentication: 401, 404, 405, 429 (G50). */
import { sqlOn } from '../../db/kernel/sql.ts';
import { findTenant } from '../../db/stores/queries.ts';
import type { Acting } from '../../domain/identity/actors.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { actorOf } from '../callers/actor.ts';
import { storeCallerOf } from '../callers/authenticate.ts';
import type { Proof } from '../callers/bearer.ts';
import type { ApiDeps } from '../declare/deps.ts';

export interface Attribution {
  readonly storeId: string;
  /** Business time minus real time; null: not read. */
  readonly clockOffsetMs: number | null;
  readonly actor: Acting | null;
}

/** What a request proved, and the store that it named by X-Store-Id, empty for none. */
export interface Evidence {
  readonly proof: Proof;
  readonly named: string;
  /** It was refused with 401: it is nobody's, whatever holds by now. */
  readonly isRefused: boolean;
}

/** Whether the token is, or was, one of ours; only then a request can belong to a store. */
export const isOurs = ({ claims, apiToken, dead }: Proof): boolean => (claims ?? apiToken ?? dead) !== null;

/**
 * The store of the token, and its actor where it is still valid; null for a token that belongs to no store, and for one of another store
 * than the named one. Reads Postgres.
 */
export async function attribute({ proof, named, isRefused }: Evidence, deps: ApiDeps): Promise<Attribution | null> {
  const code = isRefused ? 'UNAUTHORIZED' : await refusalOf(proof, named, deps);
  if (typeof code !== 'string') return code;
  if (code === 'TENANT_MISMATCH') return null;
  const storeId = await storeOf(proof, deps);
  // STORE_REQUIRED: a valid login, which is for no store yet.
  return storeId === null ? null : { storeId, clockOffsetMs: null, actor: code === 'STORE_REQUIRED' ? actorOf(proof) : null };
}

/** What an operation of a store would have refused the token with, or whose it is. */
async function refusalOf(proof: Proof, named: string, deps: ApiDeps): Promise<Attribution | Fault['code']> {
  try {
    const { storeId, at, realNow, actor } = await storeCallerOf(proof, named, deps);
    return { storeId, clockOffsetMs: at - realNow, actor };
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
}

/** The store that a token belongs to, or belonged to; that of a login is its client's, and the console has none. */
async function storeOf({ claims, apiToken, dead }: Proof, { orm }: ApiDeps): Promise<string | null> {
  const token = apiToken?.tenant ?? claims ?? dead;
  if (token === null) return null;
  return 'storeId' in token ? token.storeId : ((await findTenant(sqlOn(orm), 'clientId', token.clientId))?.storeId ?? null);
}
