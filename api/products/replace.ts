import { tagOf } from '../../db/products/tag.ts';
import { replaceProduct } from '../../db/products/changes.ts';
import { endpoint } from '../declare/endpoint.ts';
import { changeContext, CHANGE_ERRORS } from './changing.ts';
import { ProductRequest, wholeProblems } from './requests.ts';
import { Product, viewProduct } from './schemas.ts';
import { discountOf, PRODUCT } from './subject.ts';

export const replace = endpoint({
  id: 'products.replace',
  route: 'PUT /v1/products/{productId}',
  summary: 'Replace a product; overrides that are not sent are erased',
  access: 'store',
  ifMatch: true,
  scopes: ['product:rw'],
  agent: 'approval',
  directUntilLive: true,
  target: PRODUCT,
  context: discountOf,
  change: 'here',
  isLarge: true,
  body: ProductRequest,
  etag: true,
  data: Product,
  check: wholeProblems,
  errors: CHANGE_ERRORS,
}).handle(async (call) => {
  const { key, basis } = changeContext(call);
  const changed = await replaceProduct(call.tx, key, call.body, basis);
  call.setHeader('ETag', tagOf(changed));
  return viewProduct(changed);
});
