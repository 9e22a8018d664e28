import { deleteProduct } from '../../db/products/changes.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Type } from '../declare/schema.ts';
import { changeContext } from './changing.ts';
import { PRODUCT } from './subject.ts';

export const remove = endpoint({
  id: 'products.remove',
  route: 'DELETE /v1/products/{productId}',
  summary: 'Delete a product; orders keep what they were placed with, its number is never used again',
  access: 'store',
  ifMatch: true,
  scopes: ['product:rw'],
  agent: 'approval',
  directUntilLive: true,
  target: PRODUCT,
  context: ({ name, status }) => ({ name, status }),
  change: 'here',
  data: Type.Null(),
  errors: ['PRODUCT_NOT_FOUND', 'PRODUCT_CHANGED', 'PRECONDITION_FAILED'],
}).handle(async (call) => {
  const { key, basis } = changeContext(call);
  await deleteProduct(call.tx, key, basis.ifMatch);
  return null;
});
