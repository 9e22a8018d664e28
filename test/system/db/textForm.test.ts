/** Text that was stored before requests were brought into one form is brought into it by the migration. */
import { expect, test } from '@jest/globals';
import { Client } from 'pg';
import { migrate } from '../../../db/migrate.ts';
import { makeStore } from '../../../bin/ops/store/make.ts';
import { migratedDatabase } from '../../kernel/database.ts';
import { underTest } from '../../kernel/world.ts';

const nfd = (text: string) => text.normalize('NFD');

test('of products, options, customers and orders, a portion at a time, and once', async () => {
  const url = await migratedDatabase('text');
  const client = new Client({ connectionString: url });
  await client.connect();
  const read = async (text: string, values: unknown[] = []) => (await client.query(text, values)).rows as Record<string, unknown>[];
  try {
    for (const code of ['one', 'two']) {
      const { storeId } = await makeStore(url, { code, name: 's', sandbox: true, withProduct: true }, underTest.env['SEALING_KEYS']);
      const options = (values: string[]) => JSON.stringify([{ name: nfd('색'), values }]);
      await read(`UPDATE product SET name = $2, description = $3, option_groups = $4 WHERE store_id = $1`, [
        storeId,
        nfd('양모 머플러'),
        nfd('따뜻한'),
        options([nfd('회색'), ' 남색 ']),
      ]);
      await read('UPDATE variant SET option_values = $2, attributes = $3 WHERE store_id = $1', [
        storeId,
        [' 남색 '],
        JSON.stringify({ a: nfd('값') }),
      ]);
      // What would become duplicates.
      await read(`INSERT INTO product SELECT (jsonb_populate_record(p, $2)).* FROM product p WHERE store_id = $1`, [
        storeId,
        JSON.stringify({ product_id: 'prd_twins', product_no: 99, option_groups: JSON.parse(options(['각', nfd('각')])) as object }),
      ]);
      await read(
        `INSERT INTO customer (store_id, customer_id, email, name, phone, password_hash, marketing_agreed, created_at)
        SELECT $1, 'cst_' || n, n || '@example.com', $2, '01011112222', '', false, now() FROM generate_series(1, 450) n`,
        [storeId, nfd('김구매')],
      );
    }
    await read("INSERT INTO user_account (user_id, email, name, created_at) VALUES ('usr_x', 'x@example.com', $1, now())", [nfd('박직원')]);
    await read("DELETE FROM mikro_orm_migrations WHERE name = '0048_text_form'");
    await migrate(url);
    for (const { store_id: storeId } of await read('SELECT store_id FROM store')) {
      const [product] = await read(
        `SELECT name, description, option_groups AS groups, product_id AS id FROM product
         WHERE store_id = $1 AND product_id <> 'prd_twins'`,
        [storeId],
      );
      expect(product).toMatchObject({ name: '양모 머플러', description: '따뜻한', groups: [{ name: '색', values: ['회색', '남색'] }] });
      expect(
        await read('SELECT option_values AS values, attributes FROM variant WHERE store_id = $1 AND product_id = $2', [
          storeId,
          product!['id'],
        ]),
      ).toEqual([{ values: ['남색'], attributes: { a: '값' } }]);
      expect(
        await read("SELECT 1 AS ok FROM product_gram WHERE store_id = $1 AND product_id = $2 AND gram = '머플'", [storeId, product!['id']]),
      ).toEqual([{ ok: 1 }]);
      expect(await read("SELECT option_groups AS groups FROM product WHERE store_id = $1 AND product_id = 'prd_twins'", [storeId])).toEqual(
        [{ groups: [{ name: nfd('색'), values: ['각', nfd('각')] }] }],
      );
      expect(await read('SELECT name, count(*)::int AS n FROM customer WHERE store_id = $1 GROUP BY name', [storeId])).toEqual([
        { name: '김구매', n: 450 },
      ]);
      expect(await read("SELECT count(*)::int AS n FROM customer_gram WHERE store_id = $1 AND gram = '구매'", [storeId])).toEqual([
        { n: 450 },
      ]);
    }
    expect(await read("SELECT name FROM user_account WHERE user_id = 'usr_x'")).toEqual([{ name: '박직원' }]);
    expect(await read("SELECT 1 FROM pg_policies WHERE policyname = 'migrating'")).toEqual([]);
  } finally {
    await client.end();
  }
}, 120_000);
