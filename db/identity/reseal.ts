/** Secrets at rest move to the first sealing key, row by row, each in a statement that loses to any other change of its row. */
import type { MikroORM } from '@mikro-orm/postgresql';
import type { Keyring, SealLocation } from '../kernel/keyring.ts';
import { sql } from '../kernel/tx.ts';
import { webhookPlace } from '../webhooks/queries.ts';
import { signingPlace } from './signingKeys.ts';

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
  readonly place: (row: Sealed) => SealLocation;
}

/** Everything that is sealed and kept for longer than a day; replies and logins under way end by themselves. */
const COLUMNS: readonly Column[] = [
  { table: 'signing_key', column: 'private_sealed', id: 'kid', store: `'-'`, place: ({ row_id: kid }) => signingPlace(kid) },
  ...['secret_sealed', 'old_secret_sealed'].map((column) => ({
    table: 'webhook',
    column,
    id: 'webhook_id',
    store: 'store_id',
    place: ({ store_id: storeId, row_id: webhookId }: Sealed) => webhookPlace(storeId, webhookId),
  })),
];

/** Counts what was sealed anew. Run as the operator's role: it looks into every store. */
export async function reseal(orm: MikroORM, keyring: Keyring): Promise<{ table: string; column: string; resealed: number }[]> {
  const em = orm.em.fork();
  const counts = [];
  for (const { table, column, id, store, place } of COLUMNS) {
    const rows = await sql<Sealed>(
      em,
      `SELECT ${store} AS store_id, ${id} AS row_id, ${column} AS sealed FROM ${table} WHERE ${column} IS NOT NULL`,
    );
    let resealed = 0;
    for (const row of rows.filter(({ sealed }) => !keyring.isCurrent(sealed))) {
      const fresh = keyring.seal(keyring.open(row.sealed, place(row)), place(row));
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
