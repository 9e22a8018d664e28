/** Re-encrypts secrets at rest under the first sealing key, row by row; a row that was changed meanwhile is skipped. */
import { type Fragment, fragment, identifier, sqlOn } from '../kernel/sql.ts';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { Keyring, SealLocation } from '../kernel/keyring.ts';
import { flowSecretLocation } from '../flows/secrets.ts';
import { webhookSecretLocation } from '../webhooks/queries.ts';
import { paymentSecretLocation } from '../paymentSettings/credentials.ts';
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
  readonly store: Fragment;
  readonly location: (row: Sealed) => SealLocation;
}

/** The encrypted columns that are stored for longer than a day; stored replies and pending logins expire before. */
const COLUMNS: readonly Column[] = [
  {
    table: 'signing_key',
    column: 'private_sealed',
    id: 'kid',
    store: fragment`'-'`,
    location: ({ row_id: kid }) => signingKeyLocation(kid),
  },
  ...['secret_sealed', 'old_secret_sealed'].map((column) => ({
    table: 'webhook',
    column,
    id: 'webhook_id',
    store: fragment`store_id`,
    location: ({ store_id: storeId, row_id: webhookId }: Sealed) => webhookSecretLocation(storeId, webhookId),
  })),
  ...(['secret_sealed', 'webhook_secret_sealed'] as const).map((column) => ({
    table: 'payment_credential',
    column,
    id: 'credential_id',
    store: fragment`store_id`,
    location: ({ store_id: storeId, row_id: credentialId }: Sealed) => paymentSecretLocation(storeId, credentialId, column),
  })),
  {
    table: 'flow_secret',
    column: 'value_sealed',
    id: 'name',
    store: fragment`store_id`,
    location: ({ store_id: storeId, row_id: name }) => flowSecretLocation(storeId, name),
  },
];

/** Returns the numbers of re-encrypted values. Runs as the operator's role, which sees every store. */
export async function reseal(orm: MikroORM, keyring: Keyring): Promise<{ table: string; column: string; resealed: number }[]> {
  const sql = sqlOn(orm);
  const counts = [];
  for (const { table, column, id, store, location } of COLUMNS) {
    const [from, secret, key] = [table, column, id].map(identifier) as [Fragment, Fragment, Fragment];
    const rows = await sql<Sealed>`SELECT ${store} AS store_id, ${key} AS row_id, ${secret} AS sealed FROM ${from}
      WHERE ${secret} IS NOT NULL`;
    let resealed = 0;
    for (const row of rows.filter(({ sealed }) => !keyring.isCurrent(sealed))) {
      const fresh = keyring.seal(keyring.open(row.sealed, location(row)), location(row));
      const changed = await sql`UPDATE ${from} SET ${secret} = ${fresh} WHERE ${key} = ${row.row_id} AND ${secret} = ${row.sealed}
        RETURNING 1 AS ok`;
      resealed += changed.length;
    }
    counts.push({ table, column, resealed });
  }
  return counts;
}
