/** Customers of a store, identified by their e-mail address. Business times. */
import { Fault } from '../../domain/kernel/errors.ts';
import type { Tx } from '../kernel/tx.ts';
import { type Holder, holderOf, type HolderRow } from './commands.ts';

export interface FoundCustomer extends Holder {
  readonly passwordHash: string | null;
}
export async function findByEmail({ sql, storeId }: Tx, email: string): Promise<FoundCustomer | null> {
  const [row] = await sql<
    HolderRow & { password_hash: string | null }
  >`SELECT customer_id, token_generation, password_hash FROM customer WHERE store_id = ${storeId} AND email = ${email.toLowerCase()}`;
  return row ? { ...holderOf(row), passwordHash: row.password_hash } : null;
}

/** Whether a customer still has the token generation of the password check; FOR SHARE, so that it cannot change in this transaction. */
export async function isCurrentHolder({ sql, storeId }: Tx, { customerId, generation }: Holder): Promise<boolean> {
  const rows = await sql`SELECT 1 AS ok FROM customer WHERE store_id = ${storeId} AND customer_id = ${customerId}
      AND token_generation = ${generation} FOR SHARE`;
  return rows.length > 0;
}

export interface Customer extends Holder {
  readonly email: string;
  readonly name: string | null;
  readonly phone: string | null;
}
/** The customer of a token, or null: of this generation, and while the client that issued it is active (null: their own login). */
export async function findCustomer(
  { sql, storeId }: Tx,
  { customerId, generation, clientId }: Holder & { readonly clientId: string | null },
): Promise<Customer | null> {
  const [row] = await sql<{ customer_id: string; email: string; name: string | null; phone: string | null }>`
    SELECT customer_id, email, name, phone FROM customer WHERE store_id = ${storeId} AND customer_id = ${customerId}
    AND token_generation = ${generation}
     AND (${clientId}::text IS NULL OR EXISTS (SELECT 1 FROM client c WHERE c.store_id = customer.store_id AND c.client_id = ${clientId}
       AND c.status = 'ACTIVE'))`;
  return row ? { customerId: row.customer_id, generation, email: row.email, name: row.name, phone: row.phone } : null;
}

/** The hash of a customer's password; null: they have none. UNAUTHORIZED when there is no such customer any more: their tokens are dead. */
export async function readPasswordHash({ sql, storeId }: Tx, customerId: string): Promise<string | null> {
  const [row] = await sql<{ password_hash: string | null }>`
    SELECT password_hash FROM customer WHERE store_id = ${storeId} AND customer_id = ${customerId}`;
  if (!row) throw new Fault('UNAUTHORIZED');
  return row.password_hash;
}
