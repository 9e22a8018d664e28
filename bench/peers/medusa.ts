/** Medusa's store API, called as its documentation of a shop's checkout does. */
import { randomUUID } from 'node:crypto';
import { request } from './http.ts';
import type { Project } from './project.ts';
import { PRODUCT_LIST, type Visits } from './shop.ts';

interface Seeded {
  readonly variantId: string;
  readonly regionId: string;
  readonly optionId: string;
  readonly provider: string;
  /** The publishable key. */
  readonly key: string;
}
interface Reply {
  readonly cart?: { readonly id: string };
  readonly payment_collection?: { readonly id: string };
  readonly type?: string;
}
const ADDRESS = {
  first_name: 'Bench',
  last_name: 'Buyer',
  phone: '010-1234-5678',
  address_1: 'Teheran-ro 1',
  city: 'Seoul',
  postal_code: '06236',
  country_code: 'kr',
};

const COMMAND = 'node_modules/@medusajs/cli/cli.js';
export const medusa: Project = {
  name: 'medusa',
  env: ({ databaseUrl }) => ({ DATABASE_URL: databaseUrl, MEDUSA_DISABLE_TELEMETRY: 'true', LOG_LEVEL: 'warn' }),
  seed: ({ seeded }) => [
    [COMMAND, 'db:migrate'],
    [COMMAND, 'exec', './seed.js', seeded],
  ],
  serve: ({ port }) => [COMMAND, 'start', '--host', '127.0.0.1', '--port', port],
  visits: (base, seeded) => visits(base, seeded as Seeded),
};

const FIELDS =
  'id,title,handle,description,*options.values,*variants,*variants.options,*variants.calculated_price,+variants.inventory_quantity';

function visits(base: string, seeded: Seeded): Visits {
  const headers = { 'x-publishable-api-key': seeded.key };
  const post = async (path: string, body: object) => (await request(`${base}/store/${path}`, headers, body)).body as Reply;
  const buy = async () => {
    const { cart } = await post('carts', { region_id: seeded.regionId });
    const path = `carts/${cart!.id}`;
    await post(`${path}/line-items`, { variant_id: seeded.variantId, quantity: 1 });
    await post(path, { email: `buyer-${randomUUID()}@example.com`, shipping_address: ADDRESS });
    await post(`${path}/shipping-methods`, { option_id: seeded.optionId });
    const { payment_collection: collection } = await post('payment-collections', { cart_id: cart!.id });
    await post(`payment-collections/${collection!.id}/payment-sessions`, { provider_id: seeded.provider });
    const completed = await post(`${path}/complete`, {});
    if (completed.type !== 'order') throw new Error(`Medusa: not an order: ${JSON.stringify(completed).slice(0, 500)}`);
  };
  const query = (i: number) =>
    new URLSearchParams({ limit: '20', offset: String(20 * (i % 5)), region_id: seeded.regionId, fields: FIELDS });
  const list = (i: number) => request(`${base}/store/products?${String(query(i))}`, headers);
  return { buy, lists: { [PRODUCT_LIST]: list } };
}
