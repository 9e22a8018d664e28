/** Stores in which orders are bought. */
import { Client } from 'pg';
import { makeStoreIn } from '../../bin/ops/store/make.ts';
import { withOrm } from '../../db/orm.ts';

/** A store and its only product. */
export interface Offer {
  readonly code: string;
  readonly productId: string;
}

export async function makeOffers(databaseUrl: string, sealingKeys: string, count: number): Promise<Offer[]> {
  await withOrm(databaseUrl, 1, async (orm) => {
    for (let i = 1; i <= count; i++)
      await makeStoreIn(orm, { code: `scale-${i}`, name: 'scale', sandbox: true, withProduct: true }, sealingKeys);
  });
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const offers = client.query<Offer>(
    'SELECT store_code AS code, product_id AS "productId" FROM store JOIN product USING (store_id) ORDER BY store_id',
  );
  return (await offers.finally(() => client.end())).rows;
}
