/** Adds as many products as a large store has: in batches, without the API, with all rows that the API writes. */
import { Client } from 'pg';
import { newId } from '../../../db/kernel/clock.ts';
import { UserError } from '../../kernel/cli.ts';

export interface Filling {
  readonly code: string;
  readonly products: number;
  readonly variants: number;
}
const BATCH = 500;
const CATEGORIES = 20;
const KINDS = ['머플러', '장갑', '모자', '스웨터', '코트', '셔츠', '바지', '양말', '가방', '신발'];
const STUFFS = ['양모', '캐시미어', '면', '리넨', '실크', '가죽', '데님', '니트', '누빔', '코듀로이'];
const SEASONS = ['봄', '여름', '가을', '겨울'];
const SIZES = ['S', 'M', 'L', 'XL', 'XXL'];

/** Adds `products` products of `variants` variants each, in twenty categories. Prints progress. */
export async function fillStore(databaseUrl: string, { code, products, variants }: Filling, report: (line: string) => void): Promise<void> {
  const owner = new Client({ connectionString: databaseUrl });
  await owner.connect();
  try {
    const storeId = await storeOf(owner, code);
    // Row-level security applies to the owner of the tables too.
    await owner.query(`SELECT set_config('app.store_id', $1, false)`, [storeId]);
    const at = Date.now();
    const categories = await addCategories(owner, storeId, at);
    for (let done = 0; done < products; done += BATCH) {
      await addBatch(owner, { storeId, categories, count: Math.min(BATCH, products - done), variants, at });
      report(`${Math.min(products, done + BATCH)} of ${products} products`);
    }
    await owner.query('ANALYZE product, variant, product_gram, stock_movement, category');
  } finally {
    await owner.end();
  }
}

async function storeOf(owner: Client, code: string): Promise<string> {
  const { rows } = await owner.query<{ store_id: string }>('SELECT store_id FROM lookup_store($1)', [code]);
  if (!rows[0]) throw new UserError(`There is no store ${code}: create it first, with npm run store -- create --code ${code}.`);
  return rows[0].store_id;
}

async function addCategories(owner: Client, storeId: string, at: number): Promise<string[]> {
  const ids = Array.from({ length: CATEGORIES }, () => newId('cat', at));
  await owner.query(
    `INSERT INTO category (store_id, category_id, name, depth, created_at) SELECT $1, id, '분류 ' || n, 1, $3
     FROM unnest($2::text[]) WITH ORDINALITY AS c (id, n)`,
    [storeId, ids, new Date(at)],
  );
  return ids;
}

interface Batch {
  readonly storeId: string;
  readonly categories: readonly string[];
  readonly count: number;
  readonly variants: number;
  readonly at: number;
}
const pick = <T>(list: readonly T[], n: number): T => list[n % list.length]!;

/** Options with this many combinations of a colour and a size. */
function axes(variants: number) {
  const colours = Array.from({ length: Math.ceil(variants / SIZES.length) }, (_, i) => `색 ${i + 1}`);
  const sizes = SIZES.slice(0, Math.min(SIZES.length, variants));
  const groups = [
    { name: '색', values: colours },
    { name: '크기', values: sizes },
  ];
  return { groups, combinations: colours.flatMap((colour) => sizes.map((size) => [colour, size])).slice(0, variants) };
}

const productOf = (no: number, categories: readonly string[], at: number) => ({
  product_id: newId('prd', at),
  product_no: no,
  name: `${pick(SEASONS, no)} ${pick(STUFFS, Math.floor(no / 4))} ${pick(KINDS, Math.floor(no / 40))} ${no}`,
  sale_price_won: 1000 * (1 + (no % 90)),
  category_id: pick(categories, no),
  status: no % 20 === 0 ? 'STOPPED' : 'ON_SALE',
});

async function addBatch(owner: Client, { storeId, categories, count, variants, at }: Batch): Promise<void> {
  const { rows } = await owner.query<{ first: number }>(
    'UPDATE store SET next_product_no = next_product_no + $2 WHERE store_id = $1 RETURNING next_product_no - $2 AS first',
    [storeId, count],
  );
  const { groups, combinations } = axes(variants);
  const wanted = Array.from({ length: count }, (_, i) => productOf(rows[0]!.first + i, categories, at));
  const rowsOf = wanted.flatMap(({ product_id, product_no }) =>
    combinations.map((values, i) => ({
      product_id,
      variant_id: newId('var', at),
      movement_id: newId('mov', at),
      variant_no: `${product_no}-${String(i + 1).padStart(2, '0')}`,
      seq: i + 1,
      option_values: values,
      stock_quantity: (product_no + i) % 7 === 0 ? 0 : 100,
    })),
  );
  await owner.query('BEGIN');
  await owner.query(
    `INSERT INTO product (store_id, product_id, product_no, name, images, sale_price_won, category_id, status, inventory_mode,
     delivery_type,
       delivery_fee_won, methods, fulfillment_type, option_groups, next_variant_seq, created_at, updated_at)
     SELECT $1, p.product_id, p.product_no, p.name, '[]', p.sale_price_won, p.category_id, p.status, 'STANDARD', 'PAID', 3000, '{CARRIER}',
       'SHIPPING', $3, $4, $5, $5
     FROM jsonb_to_recordset($2) AS p (product_id text, product_no int, name text, sale_price_won int, category_id text, status text)`,
    [storeId, JSON.stringify(wanted), JSON.stringify(groups), combinations.length + 1, new Date(at)],
  );
  await owner.query(
    `WITH v AS (SELECT * FROM jsonb_to_recordset($2) AS v (product_id text, variant_id text, movement_id text, variant_no text, seq int,
         option_values text[], stock_quantity int)),
     added AS (INSERT INTO variant (store_id, variant_id, product_id, variant_no, seq, option_values, stock_quantity)
       SELECT $1, variant_id, product_id, variant_no, seq, option_values, stock_quantity FROM v)
     INSERT INTO stock_movement (store_id, movement_id, variant_id, quantity, reason, reference, at)
     SELECT $1, movement_id, variant_id, stock_quantity, 'INITIAL', product_id, $3 FROM v WHERE stock_quantity > 0`,
    [storeId, JSON.stringify(rowsOf), new Date(at)],
  );
  await owner.query(
    `INSERT INTO product_gram (store_id, gram, product_id)
     SELECT DISTINCT $1, substr(lower(p.name), i, n), p.product_id
     FROM jsonb_to_recordset($2) AS p (product_id text, name text), generate_series(1, length(p.name)) i, generate_series(1, 2) n
     WHERE i + n <= length(p.name) + 1`,
    [storeId, JSON.stringify(wanted)],
  );
  await owner.query('COMMIT');
}
