import { setStatuses, statusesOf } from '../../db/products/changes.ts';
import { SALES_STATUSES } from '../../domain/products/rules.ts';
import { catalogue } from '../../domain/kernel/errors.ts';
import { bulkOf, closed, Id, oneOf, Type } from '../declare/schema.ts';
import { endpoint } from '../declare/endpoint.ts';
import { PRODUCT } from './subject.ts';

export const setStatusMany = endpoint({
  id: 'products.setStatusMany',
  route: 'POST /v1/products/bulk/status',
  summary: 'Give up to 100 products a sales status',
  access: 'store',
  scopes: ['product:rw'],
  agent: 'direct',
  target: { each: PRODUCT, ids: (body: { readonly productIds: readonly string[] }) => body.productIds, readAll: statusesOf },
  change: 'here',
  idempotent: true,
  body: closed({ productIds: Type.Array(Id, { minItems: 1, maxItems: 100 }), status: oneOf(SALES_STATUSES) }, { title: 'ProductStatuses' }),
  data: bulkOf('ProductResults'),
}).handle(async ({ tx, body }) => {
  const changed = await setStatuses(tx, body.productIds, body.status);
  const results = body.productIds.map((id) =>
    changed.has(id)
      ? { id, isSuccess: true, code: 'OK', message: '' }
      : { id, isSuccess: false, code: 'PRODUCT_NOT_FOUND', message: catalogue.PRODUCT_NOT_FOUND.message },
  );
  const succeeded = results.filter(({ isSuccess }) => isSuccess).length;
  return { results, succeeded, failed: results.length - succeeded };
});
