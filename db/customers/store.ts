/** Buyers of a store, known by their address. Business times. */
import { Fault } from '../../domain/kernel/errors.ts';
import { newId } from '../kernel/clock.ts';
import { type Em, sql } from '../orm.ts';

/** Whose token it is: tokens of an earlier generation are dead (X8). */
export interface Holder {
  readonly customerId: string;
  readonly generation: number;
}
interface HolderRow {
  readonly customer_id: string;
  readonly token_generation: number;
}
const holderOf = (row: HolderRow): Holder => ({ customerId: row.customer_id, generation: row.token_generation });

/**
 * The customer of an address, made when there is none: a server vouches for them (part A § Authentication, 5). Nobody vouched for
 * whoever signed up with it: their password and every token of before are gone from this transaction on; the customer, cart and
 * orders stay (X8). A sign-up that is under way is waited for.
 */
export async function delegatedCustomer(em: Em, storeId: string, email: string, at: number): Promise<Holder> {
  const [row] = await sql<HolderRow>(
    em,
    `INSERT INTO customer (store_id, customer_id, email, created_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (store_id, email) DO UPDATE SET password_hash = NULL,
       token_generation = customer.token_generation + (customer.password_hash IS NOT NULL)::integer
     RETURNING customer_id, token_generation`,
    [storeId, newId('cus', at), email.toLowerCase(), new Date(at)],
  );
  return holderOf(row!);
}

export interface SignUp {
  readonly email: string;
  readonly name: string;
  readonly phone: string;
  readonly passwordHash: string;
  readonly consents: readonly { readonly kind: string; readonly version?: string }[];
}

/** A new customer with what they agreed to. Nobody has verified the address: one that is known already stays with whom it is. */
export async function signUp(em: Em, storeId: string, { email, name, phone, passwordHash, consents }: SignUp, at: number): Promise<Holder> {
  const [row] = await sql<HolderRow>(
    em,
    `INSERT INTO customer (store_id, customer_id, email, name, phone, password_hash, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (store_id, email) DO NOTHING RETURNING customer_id, token_generation`,
    [storeId, newId('cus', at), email.toLowerCase(), name, phone, passwordHash, new Date(at)],
  );
  if (!row) throw new Fault('EMAIL_TAKEN');
  for (const { kind, version = null } of consents)
    await sql(
      em,
      `INSERT INTO customer_consent (store_id, consent_id, customer_id, kind, action, version, path, at) VALUES (?, ?, ?, ?, 'AGREE', ?, 'SIGNUP', ?)`,
      [storeId, newId('con', at), row.customer_id, kind, version, new Date(at)],
    );
  return holderOf(row);
}

export interface FoundCustomer extends Holder {
  readonly passwordHash: string | null;
}
export async function findByEmail(em: Em, storeId: string, email: string): Promise<FoundCustomer | null> {
  const [row] = await sql<HolderRow & { password_hash: string | null }>(
    em,
    'SELECT customer_id, token_generation, password_hash FROM customer WHERE store_id = ? AND email = ?',
    [storeId, email.toLowerCase()],
  );
  return row ? { ...holderOf(row), passwordHash: row.password_hash } : null;
}

/** Whether an account is still whose it was when its password was judged; nobody takes it over until this transaction ends. */
export async function isStill(em: Em, storeId: string, { customerId, generation }: Holder): Promise<boolean> {
  const rows = await sql(em, 'SELECT 1 AS ok FROM customer WHERE store_id = ? AND customer_id = ? AND token_generation = ? FOR SHARE', [
    storeId,
    customerId,
    generation,
  ]);
  return rows.length > 0;
}

export interface Customer {
  readonly customerId: string;
  readonly email: string;
  readonly name: string | null;
  readonly phone: string | null;
}
/** Who holds a token: a customer, of this generation, while the client that vouched for them is active (null: they logged in themselves). */
export async function findCustomer(
  em: Em,
  storeId: string,
  { customerId, generation, clientId }: Holder & { readonly clientId: string | null },
): Promise<Customer | null> {
  const [row] = await sql<{ customer_id: string; email: string; name: string | null; phone: string | null }>(
    em,
    `SELECT customer_id, email, name, phone FROM customer WHERE store_id = ? AND customer_id = ? AND token_generation = ?
     AND (?::text IS NULL OR EXISTS (SELECT 1 FROM client c WHERE c.store_id = customer.store_id AND c.client_id = ? AND c.status = 'ACTIVE'))`,
    [storeId, customerId, generation, clientId, clientId],
  );
  return row ? { customerId: row.customer_id, email: row.email, name: row.name, phone: row.phone } : null;
}
