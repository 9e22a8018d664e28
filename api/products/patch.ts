import { tagOf } from '../../db/products/tag.ts';
import { patchProduct } from '../../db/products/changes.ts';
import { endpoint } from '../declare/endpoint.ts';
import { changeContext, CHANGE_ERRORS } from './changing.ts';
import { patchProblems, ProductPatch } from './requests.ts';
import { Product, viewProduct } from './schemas.ts';
import { discountOf, PRODUCT } from './subject.ts';

/**
 * The fields that an agent changes only with an approval (G6). `additionalPrice` is a field of variants, which need one whenever they are
 * sent.
 */
const PRICED: ReadonlySet<string> = new Set(['salePrice', 'additionalPrice', 'deliveryType', 'deliveryFee', 'conditionalFreeAmount']);

export const patch = endpoint({
  id: 'products.patch',
  route: 'PATCH /v1/products/{productId}',
  summary: 'Change the fields that are sent; null clears',
  access: 'store',
  ifMatch: true,
  scopes: ['product:rw'],
  agent: {
    condition:
      'approval when salePrice, deliveryType, deliveryFee or conditionalFreeAmount would change, ' +
      'or optionGroups or variants are sent; direct otherwise',
    decide: (changes, body) =>
      'optionGroups' in body || 'variants' in body || changes.some(({ field }) => PRICED.has(field.split('.').at(-1)!))
        ? 'approval'
        : 'direct',
  },
  directUntilLive: true,
  target: PRODUCT,
  context: discountOf,
  change: 'here',
  isLarge: true,
  body: ProductPatch,
  etag: true,
  data: Product,
  check: patchProblems,
  errors: CHANGE_ERRORS,
}).handle(async (call) => {
  const { key, basis } = changeContext(call);
  const changed = await patchProduct(call.tx, key, call.body, basis);
  call.setHeader('ETag', tagOf(changed));
  return viewProduct(changed);
});
