/** Buyers of a store, known by their address. Business times. */
import { Fault } from '../../workflows/kernel/errors.ts';
import { newId } from '../kernel/clock.ts';
import { type Em, sql } from '../orm.ts';

/** The customer of an address, made when there is none: a server vouches for them (part A § Authentication, 5). */
export async function delegatedCustomer(em: Em, storeId: string, email: string, at: number): Promise<string> {
  const [row] = await sql<{ customer_id: string }>(
    em,
    `INSERT INTO customer (store_id, customer_id, email, created_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (store_id, email) DO UPDATE SET email = excluded.email RETURNING customer_id`,
    [storeId, newId('cus', at), email.toLowerCase(), new Date(at)],
  );
  return row!.customer_id;
}

export interface SignUp {
  readonly email: string;
  readonly name: string;
  readonly phone: string;
  readonly passwordHash: string;
  readonly consents: readonly { readonly kind: string; readonly version?: string }[];
}

/** A new customer with what they agreed to. Nobody has verified the address: one that is known already stays with whom it is. */
export async function signUp(em: Em, storeId: string, { email, name, phone, passwordHash, consents }: SignUp, at: number): Promise<string> {
  const [row] = await sql<{ customer_id: string }>(
    em,
    `INSERT INTO customer (store_id, customer_id, email, name, phone, password_hash, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (store_id, email) DO NOTHING RETURNING customer_id`,
    [storeId, newId('cus', at), email.toLowerCase(), name, phone, passwordHash, new Date(at)],
  );
  if (!row) throw new Fault('EMAIL_TAKEN');
  for (const { kind, version = null } of consents)
    await sql(
      em,
      `INSERT INTO customer_consent (store_id, consent_id, customer_id, kind, action, version, path, at) VALUES (?, ?, ?, ?, 'AGREE', ?, 'SIGNUP', ?)`,
      [storeId, newId('con', at), row.customer_id, kind, version, new Date(at)],
    );
  return row.customer_id;
}

export interface FoundCustomer {
  readonly customerId: string;
  readonly passwordHash: string | null;
}
export async function findByEmail(em: Em, storeId: string, email: string): Promise<FoundCustomer | null> {
  const [row] = await sql<{ customer_id: string; password_hash: string | null }>(
    em,
    'SELECT customer_id, password_hash FROM customer WHERE store_id = ? AND email = ?',
    [storeId, email.toLowerCase()],
  );
  return row ? { customerId: row.customer_id, passwordHash: row.password_hash } : null;
}

export interface Customer {
  readonly customerId: string;
  readonly email: string;
  readonly name: string | null;
  readonly phone: string | null;
}
/** A customer, while the client that vouched for them is active (null: they logged in themselves). */
export async function findCustomer(em: Em, storeId: string, customerId: string, clientId: string | null): Promise<Customer | null> {
  const [row] = await sql<{ customer_id: string; email: string; name: string | null; phone: string | null }>(
    em,
    `SELECT customer_id, email, name, phone FROM customer WHERE store_id = ? AND customer_id = ?
     AND (?::text IS NULL OR EXISTS (SELECT 1 FROM client c WHERE c.store_id = customer.store_id AND c.client_id = ? AND c.status = 'ACTIVE'))`,
    [storeId, customerId, clientId, clientId],
  );
  return row ? { customerId: row.customer_id, email: row.email, name: row.name, phone: row.phone } : null;
}
