/** Customers of a store, identified by their e-mail address. Business times. */
import { Fault } from '../../domain/kernel/errors.ts';
import type { ConsentKind } from '../../domain/customers/consents.ts';
import { newId } from '../kernel/clock.ts';
import type { Tx } from '../kernel/tx.ts';
import { recordConsents } from './consents.ts';

/** The subject of a token. Tokens of an earlier generation are invalid (X8). */
export interface Holder {
  readonly customerId: string;
  readonly generation: number;
}
export interface HolderRow {
  readonly customer_id: string;
  readonly token_generation: number;
}
export const holderOf = (row: HolderRow): Holder => ({ customerId: row.customer_id, generation: row.token_generation });

/**
 * Finds or creates the customer of an e-mail address that a server has verified (docs/contract.md#customers). A sign-up has not verified
 * the address: if the account has a password, the password and all earlier tokens are revoked; the customer, cart and orders stay.
 * Waits for a concurrent sign-up.
 */
export async function delegatedCustomer({ sql, storeId, at }: Tx, email: string): Promise<Holder> {
  const [row] = await sql<HolderRow>`INSERT INTO customer (store_id, customer_id, email, created_at)
      VALUES (${storeId}, ${newId('cus', at)}, ${email.toLowerCase()}, ${new Date(at)})
     ON CONFLICT (store_id, email) DO UPDATE SET password_hash = NULL,
       token_generation = customer.token_generation + (customer.password_hash IS NOT NULL)::integer
     RETURNING customer_id, token_generation`;
  return holderOf(row!);
}

export interface SignUp {
  readonly email: string;
  readonly name: string;
  readonly phone: string;
  readonly passwordHash: string;
  readonly consents: readonly { readonly kind: ConsentKind; readonly version?: string }[];
}

/** Creates a customer with their consents. The address is not verified, so that an existing account is never changed: EMAIL_TAKEN. */
export async function signUp(tx: Tx, { email, name, phone, passwordHash, consents }: SignUp): Promise<Holder> {
  const { sql, storeId, at } = tx;
  const [row] = await sql<HolderRow>`INSERT INTO customer (store_id, customer_id, email, name, phone, password_hash, created_at)
      VALUES (${storeId}, ${newId('cus', at)}, ${email.toLowerCase()}, ${name}, ${phone}, ${passwordHash}, ${new Date(at)})
     ON CONFLICT (store_id, email) DO NOTHING RETURNING customer_id, token_generation`;
  if (!row) throw new Fault('EMAIL_TAKEN');
  const agreed = consents.map((consent) => ({ ...consent, action: 'AGREE' as const }));
  await recordConsents(tx, row.customer_id, agreed, 'SIGNUP');
  return holderOf(row);
}
