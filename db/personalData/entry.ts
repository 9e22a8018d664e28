import { type Fragment, fragment } from '../kernel/sql.ts';

/** Lists of columns, separated by spaces. */
export interface TableEntry {
  /** A customer's: deleted when they withdraw. */
  readonly customer?: string;
  /** A customer's too, but in no export: secrets, and what is derived for searching. */
  readonly hidden?: string;
  /** In a record of trade, as it was then: it stays. */
  readonly record?: string;
  /** Of people who work for the store. */
  readonly staff?: string;
  /** Nobody's: ids, times, amounts, settings. */
  readonly none?: string;
  /** The rows of a customer. */
  readonly of?: (customerId: string) => Fragment;
  /** What a withdrawal sets in them, where the rows stay. */
  readonly clears?: Fragment;
  /** The database deletes the rows with the customer's, and lets nobody do it otherwise. */
  readonly cascades?: boolean;
}

/** A part of the register, by table. */
export type Entries = Readonly<Record<string, TableEntry>>;

/** Rows of a customer's order items. */
export const byItem = (customerId: string): Fragment =>
  fragment`order_item_id IN (SELECT i.order_item_id FROM orders o JOIN order_item i USING (store_id, order_id)
    WHERE o.store_id = current_setting('app.store_id') AND o.customer_id = ${customerId})`;
