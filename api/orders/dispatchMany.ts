import { endpoint } from '../kernel/endpoint.ts';
import type { FieldError } from '../../workflows/kernel/errors.ts';
import { dispatchProblems } from '../../workflows/orders/rules.ts';
import { closed, Id, Type } from '../kernel/schema.ts';
import { bulk, each } from './bulk.ts';
import { dispatchFields } from './schemas.ts';

export const dispatchMany = endpoint({
  ...bulk,
  id: 'orders.dispatchMany',
  route: 'POST /v1/order-items/dispatch',
  summary: 'Dispatch up to 100 items, each with its shipment',
  body: closed(
    { items: Type.Array(closed({ orderItemId: Id, ...dispatchFields }), { minItems: 1, maxItems: 100 }) },
    { title: 'DispatchManyRequest' },
  ),
  // A malformed item refuses the whole request (D72).
  check: ({ items }) => (Array.isArray(items) ? items.flatMap((item: unknown, i) => problemsOf(`items[${i}]`, item)) : []),
}).handle((call) =>
  each(
    call,
    call.body.items.map(({ orderItemId, ...input }) => ({ orderItemId, wish: { name: 'dispatch', input } })),
  ),
);

const problemsOf = (path: string, item: unknown): FieldError[] =>
  typeof item === 'object' && item !== null
    ? dispatchProblems(item).map((problem) => ({ ...problem, field: `${path}.${problem.field}` }))
    : [];
