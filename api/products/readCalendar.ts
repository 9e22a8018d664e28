import { readCalendar as read } from '../../db/products/calendar.ts';
import { checkSpan, MAX_CELLS_SHOWN, MAX_DAYS_WRITTEN } from '../../domain/products/calendar.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, Day, Id, nullable, Type, Won } from '../declare/schema.ts';

export const readCalendar = endpoint({
  id: 'products.readCalendar',
  route: 'GET /v1/products/{productId}/calendar',
  summary: 'Read the nights that were written, at most 10,000; days that are absent have no stock',
  access: 'store',
  scopes: ['product:r'],
  change: 'none',
  isLarge: true,
  query: Type.Object({ from: Day, to: Day, variantId: Type.Optional(Id) }),
  data: closed(
    { days: Type.Array(closed({ date: Day, variantId: Id, stock: Type.Integer(), price: nullable(Won) })) },
    { title: 'Calendar' },
  ),
  errors: ['PRODUCT_NOT_FOUND', 'INVENTORY_MODE_MISMATCH'],
}).handle(async ({ tx, storeId, params, query }) => {
  checkSpan(query.from, query.to, MAX_DAYS_WRITTEN);
  return { days: await read(tx, { storeId, ...params }, query, MAX_CELLS_SHOWN) };
});
