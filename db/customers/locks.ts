/**
 * The lock of a customer's row, which decides between a withdrawal and everything else of theirs (U14). It comes first in a transaction.
 * `KEY SHARE`: whatever a member changes, beside each other; `NO KEY UPDATE`: what belongs to the customer alone, one after the other;
 * `UPDATE`: the end of the customer.
 */
import { Fault } from '../../domain/kernel/errors.ts';
import { fragment } from '../kernel/sql.ts';
import type { Tx } from '../kernel/tx.ts';
import type { Holder } from './commands.ts';

const STRENGTHS = {
  'KEY SHARE': fragment`FOR KEY SHARE`,
  'NO KEY UPDATE': fragment`FOR NO KEY UPDATE`,
  UPDATE: fragment`FOR UPDATE`,
} as const;
export type CustomerLock = keyof typeof STRENGTHS;

/**
 * Locks the customer of a token in the transaction of their request; UNAUTHORIZED when they withdrew, or the token was revoked, meanwhile.
 */
export async function lockHolder({ sql, storeId }: Tx, { customerId, generation }: Holder, strength: CustomerLock): Promise<void> {
  const [row] = await sql`SELECT 1 AS ok FROM customer WHERE store_id = ${storeId} AND customer_id = ${customerId}
    AND token_generation = ${generation} ${STRENGTHS[strength]}`;
  if (!row) throw new Fault('UNAUTHORIZED');
}

export interface LockedCustomer {
  readonly email: string;
  readonly name: string | null;
}
/** Locks a customer by id; CUSTOMER_NOT_FOUND, also when they withdrew. */
export async function lockCustomer({ sql, storeId }: Tx, customerId: string, strength: CustomerLock): Promise<LockedCustomer> {
  const [row] = await sql<LockedCustomer>`SELECT email, name FROM customer WHERE store_id = ${storeId} AND customer_id = ${customerId}
    ${STRENGTHS[strength]}`;
  if (!row) throw new Fault('CUSTOMER_NOT_FOUND');
  return row;
}

/** Whether there is such a customer, who does not withdraw before the end of the transaction. */
export async function lockIfPresent({ sql, storeId }: Tx, customerId: string): Promise<boolean> {
  const rows = await sql`SELECT 1 AS ok FROM customer WHERE store_id = ${storeId} AND customer_id = ${customerId} FOR KEY SHARE`;
  return rows.length > 0;
}
