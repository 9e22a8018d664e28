import { setDiscount as set } from '../../db/products/changes.ts';
import { DISCOUNT_METHODS, discountProblems } from '../../domain/products/prices.ts';
import { closed, Day, nullable, oneOf, Type } from '../declare/schema.ts';
import { endpoint } from '../declare/endpoint.ts';
import { changeContext } from './changing.ts';
import { Discount, viewDiscount } from './schemas.ts';
import { PRODUCT } from './subject.ts';

const dated = ['value', 'startDate', 'endDate'];
/** The rules of `discountProblems` as JSON Schema, for the OpenAPI documents. */
const KINDS = [
  { properties: { method: { type: 'null' } } },
  { properties: { method: { const: 'RATE' }, value: { maximum: 99 } }, required: dated },
  { properties: { method: { const: 'AMOUNT' } }, required: dated },
];
const DiscountRequest = closed(
  {
    method: nullable(oneOf(DISCOUNT_METHODS, 'null takes the discount off')),
    value: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_000_000_000, description: 'RATE: 1 to 99 percent; AMOUNT: won' })),
    startDate: Type.Optional(Day),
    endDate: Type.Optional(Day),
  },
  { title: 'DiscountRequest', 'x-document': { anyOf: KINDS } },
);

interface Priced {
  readonly salePrice: number;
  readonly variants: readonly { readonly additionalPrice: number }[];
}
/** What a discount takes from: its effect on an option depends on the option's own price. */
const priced = ({ salePrice, variants }: Priced) => ({
  salePrice,
  lowestAdditionalPrice: Math.min(0, ...variants.map(({ additionalPrice }) => additionalPrice)),
});

export const setDiscount = endpoint({
  id: 'products.setDiscount',
  route: 'PUT /v1/products/{productId}/discount',
  summary: 'Put a discount on a product, or take it off',
  access: 'store',
  ifMatch: true,
  scopes: ['product:rw'],
  agent: 'approval',
  directUntilLive: true,
  target: PRODUCT,
  context: (product: object) => priced(product as Priced),
  change: 'here',
  body: DiscountRequest,
  data: nullable(Discount),
  check: discountProblems,
  errors: ['PRODUCT_NOT_FOUND', 'PRODUCT_CHANGED', 'PRECONDITION_FAILED', 'PRICE_CONFLICT'],
}).handle(async (call) => {
  const { method, value, startDate, endDate } = call.body;
  const { key, basis } = changeContext(call);
  const wanted = method === null ? null : { method, value: value!, startDate: startDate!, endDate: endDate! };
  const { discount } = await set(call.tx, key, wanted, basis.ifMatch);
  return discount ? viewDiscount(discount) : null;
});
