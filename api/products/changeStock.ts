import { checkStockTag } from '../../db/products/changes.ts';
import { changeStock as change, MAX_STOCK } from '../../db/products/stockChanges.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, Id, Type } from '../declare/schema.ts';
import { changeContext } from './changing.ts';
import { SentStock, StockCount } from './schemas.ts';
import { PRODUCT } from './subject.ts';

export const changeStock = endpoint({
  id: 'products.changeStock',
  route: 'PATCH /v1/products/{productId}/variants/{variantId}/stock',
  summary: 'Set a stock quantity, or adjust it by a difference',
  access: 'store',
  ifMatch: true,
  scopes: ['product:rw'],
  agent: 'direct',
  target: PRODUCT,
  change: 'here',
  idempotent: true,
  body: closed(
    {
      stockQuantity: Type.Optional(SentStock),
      adjustment: Type.Optional(Type.Integer({ minimum: -MAX_STOCK, maximum: MAX_STOCK })),
      expectedStockQuantity: Type.Optional(StockCount),
      reason: Type.Optional(Type.String({ maxLength: 200 })),
    },
    { title: 'StockChange', 'x-document': { oneOf: [{ required: ['stockQuantity'] }, { required: ['adjustment'] }] } },
  ),
  check: (body) =>
    'stockQuantity' in body === 'adjustment' in body
      ? [{ field: 'stockQuantity', code: 'REQUIRED', message: 'Send either stockQuantity or adjustment.' }]
      : [],
  data: closed(
    { variantId: Id, variantNo: Type.String(), stockQuantity: StockCount, isSoldOut: Type.Boolean() },
    { title: 'VariantStock' },
  ),
  errors: [
    'PRODUCT_NOT_FOUND',
    'PRODUCT_CHANGED',
    'PRECONDITION_FAILED',
    'VARIANT_NOT_FOUND',
    'OUT_OF_STOCK',
    'CONCURRENT_UPDATE',
    'INVENTORY_MODE_MISMATCH',
  ],
}).handle(async (call) => {
  const { tx, params, body } = call;
  const { key, basis } = changeContext(call);
  await checkStockTag(tx, key, basis.ifMatch);
  return change(tx, { ...key, ...params }, body, basis.reference);
});
