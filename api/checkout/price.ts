import { previewPoints } from '../../db/checkout/points.ts';
import { findCheckout } from '../../db/checkout/queries.ts';
import { lineTotalWon, viewDelivery } from '../../domain/checkout/rules.ts';
import { ADJUST_REASONS, REJECT_REASONS } from '../../domain/points/use.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, Count, Id, nullable, oneOf, Type, Won, ZipCode } from '../declare/schema.ts';
import { Amounts, PaidDelivery, pointFields, viewPoints } from './schemas.ts';

const Pricing = closed(
  {
    checkoutId: Id,
    amounts: Amounts,
    items: Type.Array(
      closed({
        productId: Id,
        optionId: Id,
        quantity: Count,
        unitPrice: Won,
        totalPrice: Won,
        couponDiscountAmount: Won,
        pointAllocation: Won,
      }),
    ),
    delivery: PaidDelivery,
    points: nullable(
      closed({ ...pointFields, adjustReason: nullable(oneOf(ADJUST_REASONS)), rejectReason: nullable(oneOf(REJECT_REASONS)) }),
    ),
    paymentRequired: Type.Boolean({ description: 'False: the payment starts without an option, and creates the order at once' }),
  },
  { title: 'Pricing' },
);

export const price = endpoint({
  id: 'checkout.price',
  route: 'POST /storefront/v1/checkout/{checkoutId}/pricing',
  summary: 'What a checkout costs with points; reserves none',
  access: 'buyer',
  change: 'here',
  body: closed({ pointAmount: Won, zipCode: Type.Optional(ZipCode) }, { title: 'PricingRequest' }),
  data: Pricing,
  errors: ['CHECKOUT_NOT_FOUND', 'CHECKOUT_EXPIRED', 'CHECKOUT_STALE', 'ALREADY_PAID', 'POINTS_UNAVAILABLE'],
}).handle(async ({ tx, sessionId, customer, params, body }) => {
  const checkout = await findCheckout(tx, params.checkoutId, sessionId!, true);
  const { pointAmount, zipCode = null } = body;
  const { priced, use, usable } = await previewPoints(tx, checkout, { pointAmount, zipCode, customerId: customer?.customerId ?? null });
  const { amounts, delivery, lines } = priced;
  const { adjustReason, rejectReason } = use;
  return {
    checkoutId: checkout.checkoutId,
    amounts,
    items: lines.map((line) => ({
      productId: line.productId,
      optionId: line.variantId,
      quantity: line.quantity,
      unitPrice: line.unitPriceWon,
      totalPrice: lineTotalWon(line),
      couponDiscountAmount: 0,
      pointAllocation: line.pointAllocationWon ?? 0,
    })),
    delivery: viewDelivery(delivery),
    points: usable && { ...viewPoints(usable, amounts), adjustReason, rejectReason },
    paymentRequired: amounts.totalAmount > 0,
  };
});
