/** Re-encrypts secrets at rest under the first sealing key, row by row; a row that was changed meanwhile is skipped. */
import type { MikroORM } from '@mikro-orm/postgresql';
import type { Keyring, SealLocation } from '../kernel/keyring.ts';
import { sql } from '../kernel/tx.ts';
import { webhookSecretLocation } from '../webhooks/queries.ts';
import { signingKeyLocation } from './signingKeys.ts';

interface Sealed {
  readonly store_id: string;
  readonly row_id: string;
  readonly sealed: string;
}
interface Column {
  readonly table: string;
  readonly column: string;
  readonly id: string;
  readonly store: string;
  readonly location: (row: Sealed) => SealLocation;
}

/** The encrypted columns that are stored for longer than a day; stored replies and pending logins expire before. */
const COLUMNS: readonly Column[] = [
  { table: 'signing_key', column: 'private_sealed', id: 'kid', store: `'-'`, location: ({ row_id: kid }) => signingKeyLocation(kid) },
  ...['secret_sealed', 'old_secret_sealed'].map((column) => ({
    table: 'webhook',
    column,
    id: 'webhook_id',
    store: 'store_id',
    location: ({ store_id: storeId, row_id: webhookId }: Sealed) => webhookSecretLocation(storeId, webhookId),
  })),
];

/** Returns the numbers of re-encrypted values. Runs as the operator's role, which sees every store. */
export async function reseal(orm: MikroORM, keyring: Keyring): Promise<{ table: string; column: string; resealed: number }[]> {
  const em = orm.em.fork();
  const counts = [];
  for (const { table, column, id, store, location } of COLUMNS) {
    const rows = await sql<Sealed>(
      em,
      `SELECT ${store} AS store_id, ${id} AS row_id, ${column} AS sealed FROM ${table} WHERE ${column} IS NOT NULL`,
    );
    let resealed = 0;
    for (const row of rows.filter(({ sealed }) => !keyring.isCurrent(sealed))) {
      const fresh = keyring.seal(keyring.open(row.sealed, location(row)), location(row));
      const changed = await sql(em, `UPDATE ${table} SET ${column} = ? WHERE ${id} = ? AND ${column} = ? RETURNING 1 AS ok`, [
        fresh,
        row.row_id,
        row.sealed,
      ]);
      resealed += changed.length;
    }
    counts.push({ table, column, resealed });
  }
  return counts;
}
