/** Creates stores: a command of operators that runs as the owner of the database, not as the app. */
import { createServerClient } from './clients.ts';
import { newId } from '../kernel/clock.ts';
import { fragment } from '../kernel/sql.ts';
import type { Tx } from '../kernel/tx.ts';

export interface NewStore {
  readonly storeCode: string;
  readonly name: string;
  readonly sandbox: boolean;
  readonly scopes: readonly string[];
  /** AI actions a month; null: the default. */
  readonly aiActionsLimit: number | null;
}
export interface CreatedStore {
  readonly storeCode: string;
  readonly storeId: string;
  readonly sandbox: boolean;
  readonly clientId: string;
  readonly clientSecret: string;
}

export const newStoreId = (at: number): string => newId('sto', at);

/** Creates a store and its first client. `storeId`: the tenant of the transaction. */
export async function createStore(tx: Tx, { storeCode, name, sandbox, scopes, aiActionsLimit }: NewStore): Promise<CreatedStore> {
  const { sql, storeId, at } = tx;
  await sql`INSERT INTO store (store_id, store_code, name, sandbox, created_at, ai_actions_limit)
    VALUES (${storeId}, ${storeCode}, ${name}, ${sandbox}, ${new Date(at)}, ${aiActionsLimit ?? fragment`DEFAULT`})`;
  return { storeCode, storeId, sandbox, ...createServerClient(tx, `${name} server`, scopes) };
}
