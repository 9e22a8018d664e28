/** Product lists of a small and a large store, compared with the bare query for the same page. */
import { Pool } from 'pg';
import { fillStore } from '../bin/ops/store/fill.ts';
import { makeStore } from '../bin/ops/store/make.ts';
import type { System } from '../bin/dev/system.ts';
import { call, Seller } from '../bin/dev/client.ts';
import { type Figures, load } from './measure.ts';

const VARIANTS = 20;

/** Measures the lists in stores of these sizes; every product has twenty variants. */
export async function catalog(system: System, sizes: readonly number[]): Promise<Figures[]> {
  const figures: Figures[] = [];
  for (const products of sizes) {
    const code = `shelf${products}`;
    const store = await makeStore(system.databaseUrl, { code, name: code, sandbox: true, withProduct: false }, system.env['SEALING_KEYS']);
    await fillStore(system.databaseUrl, { code, products, variants: VARIANTS }, () => {});
    const seller = await Seller.login(system.api, store);
    figures.push(...(await lists(system, seller, code, products)), ...(await bare(system.databaseUrl, store.storeId, products)));
  }
  return figures;
}

async function lists({ api }: System, seller: Seller, code: string, products: number): Promise<Figures[]> {
  const headers = { 'x-store-code': code };
  const pages = Math.floor(products / 20);
  const shown = (query: string) => async (i: number) => {
    const { status, body } = await call(api, 'GET', `/storefront/v1/products?size=20&${query}&page=${1 + (i % Math.min(pages, 5))}`, {
      headers,
    });
    if (status !== 200 || body.data.items.length === 0) throw new Error(`list: ${status}`);
  };
  const sold = () => seller.call('GET', '/v1/products?size=20');
  const word = encodeURIComponent('캐시미어 장갑');
  return [
    await load(`storefront list: 20 of ${products} with prices`, 1, 100, shown('')),
    await load(`storefront list: 20 of ${products} with prices`, 16, 1000, shown('')),
    ...(products >= 1000 ? [await load(`storefront list: 20 of ${products} by keyword`, 16, 500, () => shown(`keyword=${word}`)(0))] : []),
    await load(`seller list: 20 of ${products} with ${VARIANTS} variants each`, 16, 500, sold),
  ];
}

/** The storefront's page as one prepared statement. */
async function bare(databaseUrl: string, storeId: string, products: number): Promise<Figures[]> {
  const pool = new Pool({ connectionString: databaseUrl, max: 16 });
  const text = `SELECT p.*, (SELECT count(*) FROM product WHERE store_id = $1 AND status = 'ON_SALE' AND deleted_at IS NULL) AS total,
      (SELECT json_agg(json_build_object('id', v.variant_id, 'price', p.sale_price_won + v.additional_price_won, 'open',
        v.stock_quantity > 0) ORDER BY v.seq)
       FROM variant v WHERE v.store_id = p.store_id AND v.product_id = p.product_id) AS variants
    FROM product p WHERE p.store_id = $1 AND p.status = 'ON_SALE' AND p.deleted_at IS NULL ORDER BY p.product_no DESC LIMIT 20`;
  const readPage = () => pool.query({ name: 'shelf', text, values: [storeId] });
  const figures = [
    await load(`bare Postgres: the same page of ${products}`, 1, 100, readPage),
    await load(`bare Postgres: the same page of ${products}`, 16, 1000, readPage),
  ];
  await pool.end();
  return figures;
}
