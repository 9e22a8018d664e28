import { Migration } from '@mikro-orm/migrations';
import { nameForm, nfc, seen } from '../../domain/kernel/text.ts';

/** So many rows are read at once. */
const PORTION = 200;
type Row = Readonly<Record<string, unknown>>;
interface Text {
  readonly table: string;
  /** Beside the store's, the key of a row. */
  readonly key: string;
  readonly columns: readonly string[];
}
/** Where text stands that people read, search and send back. Records that never change, of audits and of flows that are published, stay. */
const TEXTS: readonly Text[] = [
  { table: 'category', key: 'category_id', columns: ['name'] },
  { table: 'product', key: 'product_id', columns: ['name', 'description'] },
  { table: 'variant', key: 'variant_id', columns: ['sku', 'barcode', 'seller_code', 'attributes'] },
  { table: 'customer', key: 'customer_id', columns: ['name'] },
  { table: 'customer_address', key: 'address_id', columns: ['name', 'receiver_name', 'address1', 'address2'] },
  { table: 'seller_address', key: 'address_id', columns: ['name', 'receiver', 'address', 'detail_address'] },
  { table: 'pickup_location', key: 'pickup_location_id', columns: ['name', 'address', 'contact', 'available_hours'] },
  { table: 'commerce_flow', key: 'flow_id', columns: ['name', 'draft_graph'] },
  { table: 'api_token', key: 'token_id', columns: ['name'] },
  { table: 'client', key: 'client_id', columns: ['name'] },
  { table: 'review', key: 'review_id', columns: ['product_name', 'option_label', 'content'] },
  { table: 'inquiry', key: 'inquiry_id', columns: ['title', 'content', 'answer'] },
  { table: 'order_item', key: 'order_item_id', columns: ['product_name', 'option_label', 'seller_memo'] },
  { table: 'orders', key: 'order_id', columns: ['buyer', 'shipping_address'] },
  { table: 'payment', key: 'payment_id', columns: ['buyer', 'shipping_address'] },
  { table: 'claim', key: 'claim_id', columns: ['detail', 'hold_reason'] },
];
interface Group {
  readonly name: string;
  readonly values: readonly string[];
}

/**
 * Text that was stored before requests were brought into one form (D91): NFC; names of options without white space around them too, because
 * they are compared with what is sent. A portion of rows at a time, by the code that requests are brought into it with; only rows that
 * change are locked.
 */
export class TextForm0048 extends Migration {
  override async up(): Promise<void> {
    await this.#people();
    for (const storeId of await this.#stores()) {
      await this.execute("SELECT set_config('app.store_id', ?, true)", [storeId]);
      for (const text of TEXTS) await this.#portions(storeId, text, conditionOf(text), (row) => this.#reform(storeId, text, row));
      await this.#portions(storeId, OPTIONS, HAS_OTHER_FORM, (row) => this.#reformOptions(storeId, row));
    }
    // No migration after it waits for a trigger.
    await this.execute("SELECT set_config('app.store_id', '', true)");
    await this.execute('SET CONSTRAINTS ALL IMMEDIATE');
    await this.execute('SET CONSTRAINTS ALL DEFERRED');
  }

  /** All stores, by the role that looks them up: row-level security shows none to an owner that is no superuser. */
  async #stores(): Promise<string[]> {
    await this.execute('SET LOCAL ROLE sangjeom_lookup');
    const rows = (await this.execute('SELECT store_id FROM store ORDER BY store_id')) as { store_id: string }[];
    await this.execute('RESET ROLE');
    return rows.map(({ store_id: id }) => id);
  }

  /** Those who work for stores belong to none. */
  async #people(): Promise<void> {
    const rows = await this.execute('SELECT user_id, name FROM user_account WHERE name IS NOT NFC NORMALIZED');
    for (const { user_id: id, name } of rows as { user_id: string; name: string }[])
      await this.execute('UPDATE user_account SET name = ? WHERE user_id = ?', [nfc(name), id]);
  }

  async #portions(
    storeId: string,
    { table, key }: Pick<Text, 'table' | 'key'>,
    condition: string,
    work: (row: Row) => Promise<void>,
  ): Promise<void> {
    for (let after: unknown = ''; after !== null;) {
      const rows: Row[] = await this.execute(
        `SELECT * FROM ${table} WHERE store_id = ? AND ${key} > ? AND (${condition}) ORDER BY ${key} LIMIT ${PORTION} FOR UPDATE`,
        [storeId, after],
      );
      for (const row of rows) await work(row);
      after = rows.length < PORTION ? null : rows.at(-1)![key];
    }
  }

  async #reform(storeId: string, { table, key, columns }: Text, row: Row): Promise<void> {
    const values = columns.map((column) => stored(reformed(row[column])));
    await this.execute(`UPDATE ${table} SET ${columns.map((column) => `${column} = ?`).join(', ')} WHERE store_id = ? AND ${key} = ?`, [
      ...values,
      storeId,
      row[key],
    ]);
    if (table !== 'product') return;
    const p = [storeId, row[key]];
    await this.execute('DELETE FROM product_gram WHERE store_id = ? AND product_id = ?', p);
    await this.execute(
      `INSERT INTO product_gram (store_id, gram, product_id) SELECT store_id, text_grams(name), product_id FROM product
       WHERE store_id = ? AND product_id = ? AND deleted_at IS NULL`,
      p,
    );
  }

  /** With its variants; options that would become equal stay as they are, until their seller names them anew. */
  async #reformOptions(storeId: string, row: Row): Promise<void> {
    const groups = (row['option_groups'] as readonly Group[]).map(({ name, values }) => ({
      name: nameForm(name),
      values: values.map(nameForm),
    }));
    if ([groups.map(({ name }) => name), ...groups.map(({ values }) => values)].some(hasDuplicates)) return;
    const p = [storeId, row['product_id']];
    await this.execute('UPDATE product SET option_groups = ? WHERE store_id = ? AND product_id = ?', [JSON.stringify(groups), ...p]);
    const variants = (await this.execute('SELECT variant_id, option_values FROM variant WHERE store_id = ? AND product_id = ?', p)) as {
      variant_id: string;
      option_values: string[];
    }[];
    for (const { variant_id: id, option_values: values } of variants)
      await this.execute(
        'UPDATE variant SET option_values = ARRAY(SELECT jsonb_array_elements_text(?::jsonb)) WHERE store_id = ? AND variant_id = ?',
        [JSON.stringify(values.map(nameForm)), storeId, id],
      );
  }
}

const OPTIONS = { table: 'product', key: 'product_id' };
/** Any text in the options that is not NFC, or has a blank at an end. */
const HAS_OTHER_FORM = `option_groups::text IS NOT NFC NORMALIZED OR EXISTS (
  SELECT FROM jsonb_array_elements(option_groups) g, LATERAL (
    SELECT g ->> 'name' UNION ALL SELECT jsonb_array_elements_text(g -> 'values')) t (name) WHERE name <> btrim(name))`;
const conditionOf = ({ columns }: Text): string => columns.map((column) => `${column}::text IS NOT NFC NORMALIZED`).join(' OR ');
const hasDuplicates = (names: readonly string[]): boolean => new Set(names.map(seen)).size < names.length;

/** Every text in it; keys stay. */
function reformed(value: unknown): unknown {
  if (typeof value === 'string') return nfc(value);
  if (Array.isArray(value)) return value.map(reformed);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, reformed(inner)]));
}
const stored = (value: unknown): unknown => (typeof value === 'object' && value !== null ? JSON.stringify(value) : value);
