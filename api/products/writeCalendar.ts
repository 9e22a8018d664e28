import { writeCalendar as write } from '../../db/products/calendar.ts';
import { MAX_DAYS_WRITTEN, spanProblems } from '../../domain/products/calendar.ts';
import { MAX_VARIANTS } from '../../domain/products/options.ts';
import { closed, Day, Id, nullable, Type } from '../declare/schema.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Price, SentStock } from './schemas.ts';
import { CALENDAR } from './subject.ts';

const CalendarRequest = closed(
  {
    variantIds: Type.Array(Id, { minItems: 1, maxItems: MAX_VARIANTS }),
    from: Day,
    to: Day,
    daysOfWeek: Type.Optional(
      Type.Array(Type.Integer({ minimum: 0, maximum: 6 }), { minItems: 1, maxItems: 7, description: '0 is Sunday; left out: every day' }),
    ),
    stock: Type.Optional(SentStock),
    price: Type.Optional(nullable(Price)),
  },
  { title: 'CalendarRequest', 'x-document': { anyOf: [{ required: ['stock'] }, { required: ['price'] }] } },
);

export const writeCalendar = endpoint({
  id: 'products.writeCalendar',
  route: 'PUT /v1/products/{productId}/calendar',
  summary: 'Write stock and price of nights; what is not sent stays',
  access: 'store',
  scopes: ['product:rw'],
  agent: 'approval',
  directUntilLive: true,
  target: CALENDAR,
  facts: ['updatedDays'],
  change: 'here',
  isLarge: true,
  body: CalendarRequest,
  data: closed({ updatedDays: Type.Integer() }, { title: 'CalendarWritten' }),
  check: (body) => [
    ...spanProblems(body.from, body.to, MAX_DAYS_WRITTEN),
    ...(!('stock' in body) && !('price' in body) ? [{ field: 'stock', code: 'REQUIRED', message: 'Send stock, price or both.' }] : []),
  ],
  errors: ['PRODUCT_NOT_FOUND', 'VARIANT_NOT_FOUND', 'INVENTORY_MODE_MISMATCH', 'PRICE_CONFLICT'],
}).handle(async ({ tx, storeId, params, body, requestId }) => ({
  updatedDays: await write(tx, { storeId, ...params }, body, requestId),
}));
