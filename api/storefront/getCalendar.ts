import { shownCalendar } from '../../db/products/calendar.ts';
import { checkSpan, MAX_DAYS_SHOWN } from '../../domain/products/calendar.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, Day, Id, Type, Won } from '../declare/schema.ts';

export const getCalendar = endpoint({
  id: 'storefront.getCalendar',
  route: 'GET /storefront/v1/products/{productId}/calendar',
  summary: 'Which nights can be had and what they cost, at most 120 days and 10,000 nights of all variants',
  access: 'storefront',
  isPublic: true,
  change: 'none',
  isLarge: true,
  query: Type.Object({ from: Day, to: Day, variantId: Type.Optional(Id) }),
  data: closed(
    { days: Type.Array(closed({ date: Day, variantId: Id, isAvailable: Type.Boolean(), price: Won })) },
    { title: 'StorefrontCalendar' },
  ),
  errors: ['PRODUCT_NOT_FOUND', 'INVENTORY_MODE_MISMATCH'],
}).handle(async ({ tx, params, query }) => {
  checkSpan(query.from, query.to, MAX_DAYS_SHOWN);
  return { days: await shownCalendar(tx, params.productId, query) };
});
