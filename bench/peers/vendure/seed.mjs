/** `node seed.mjs <database> <port> <file>`: the schema, a channel, 100 products of three variants, and what the client has to know. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bootstrap, JobQueueService, SearchService, ShippingMethodService, TransactionalConnection } from '@vendure/core';
import { ProductVariant, RequestContextService } from '@vendure/core';
import { populate } from '@vendure/core/cli/index.js';
import { configOf } from './config.mjs';

const [databaseUrl, port, file] = process.argv.slice(2);
const PAYMENT = 'bench';
const initialData = {
  defaultLanguage: 'en',
  defaultZone: 'Asia',
  countries: [{ code: 'KR', name: 'South Korea', zone: 'Asia' }],
  taxRates: [{ name: 'None', percentage: 0 }],
  shippingMethods: [{ name: 'Flat', price: 3000 }],
  paymentMethods: [{ name: PAYMENT, handler: { code: 'dummy-payment-handler', arguments: [{ name: 'automaticSettle', value: 'true' }] } }],
  collections: [],
};

const COLUMNS =
  'name,slug,description,assets,facets,optionGroups,optionValues,sku,price,taxCategory,stockOnHand,trackInventory,variantAssets,variantFacets';
const rowsOf = (i) =>
  ['S', 'M', 'L'].map((size, at) => {
    const product = at === 0 ? [`product ${i}`, `product-${i}`, `bench product ${i}`, '', '', 'size'] : ['', '', '', '', '', ''];
    return [...product, size, `p${i}-${size}`, '100.00', 'standard', '1000000', 'true', '', ''].join(',');
  });
const folder = mkdtempSync(join(tmpdir(), 'bench-vendure-'));
const csv = join(folder, 'products.csv');
writeFileSync(csv, [COLUMNS, ...Array.from({ length: 100 }, (_, i) => rowsOf(i)).flat()].join('\n'));

const app = await populate(() => bootstrap(configOf(databaseUrl, port, true)), initialData, csv);
await app.get(JobQueueService).start();
const ctx = await app.get(RequestContextService).create({ apiType: 'admin' });
const { id } = await app.get(SearchService).reindex(ctx);
const rows = async () => app.get(TransactionalConnection).rawConnection.query('SELECT state FROM job_record WHERE id = $1', [id]);
while ((await rows())[0]?.state !== 'COMPLETED') await sleep(100);
const [variant] = await app
  .get(TransactionalConnection)
  .rawConnection.getRepository(ProductVariant)
  .find({ where: { sku: 'p0-S' } });
const { items } = await app.get(ShippingMethodService).findAll(ctx);
writeFileSync(file, JSON.stringify({ variantId: String(variant.id), shippingMethodId: String(items[0].id), payment: PAYMENT }));
rmSync(folder, { recursive: true });
await app.close();
process.exit(0);
