import { patchProduct } from '../../db/catalog/changes.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { asking, CHANGE_ERRORS } from './changing.ts';
import { patchProblems, ProductPatch } from './requests.ts';
import { etagOf, Product, viewProduct } from './schemas.ts';

export const patch = endpoint({
  id: 'products.patch',
  route: 'PATCH /v1/products/{productId}',
  summary: 'Change the fields that are sent; null clears',
  access: 'store',
  ifMatch: true,
  scopes: ['product:rw'],
  agent: 'approval',
  change: 'here',
  body: ProductPatch,
  etag: true,
  data: Product,
  check: patchProblems,
  errors: CHANGE_ERRORS,
}).handle(async (call) => {
  const { key, basis, moment } = asking(call);
  const changed = await patchProduct(call.em, key, call.body, basis, moment);
  call.setHeader('ETag', etagOf(changed));
  return viewProduct(changed);
});
