import type { Checkout as Row } from '../../db/checkout/entities.ts';
import type { Usable } from '../../db/checkout/points.ts';
import type { Store } from '../../db/stores/entities.ts';
import { shippingPolicyOf } from '../../db/stores/queries.ts';
import { isShipped, lineTotalWon, price } from '../../domain/checkout/rules.ts';
import { maxUsable, type Payable } from '../../domain/points/use.ts';
import { koreanOf } from '../../domain/kernel/time.ts';
import { paymentOptions, type RoutingFacts } from '../../domain/paymentSettings/routing.ts';
import { PAYMENT_METHODS } from '../../domain/payments/rules.ts';
import { Total } from '../points/schemas.ts';
import { closed, Count, Id, nullable, oneOf, PricedStay, Timestamp, Type, viewStay, Won } from '../declare/schema.ts';

export const Amounts = closed(
  { productAmount: Won, deliveryFee: Won, couponDiscountAmount: Won, pointAmount: Won, totalAmount: Won },
  { title: 'Amounts' },
);
const deliveryFields = {
  baseFee: Won,
  remoteSurcharge: Won,
  remoteArea: oneOf(['NONE', 'JEJU', 'ISOLATED']),
  remoteAreaLabel: nullable(Type.String()),
  bundleCount: Count,
  freeByThreshold: Type.Boolean(),
  zipCode: nullable(Type.String()),
};
export const Delivery = closed(deliveryFields, { title: 'Delivery' });
/** The same, with what of the fee is paid in points. */
export const PaidDelivery = closed({ ...deliveryFields, pointAllocation: Won }, { title: 'PaidDelivery' });
/** What a member may use at a checkout. */
export const pointFields = { balance: Total, maxUsable: Won, unit: Type.Integer() };
export const Checkout = closed(
  {
    checkoutId: Id,
    expiresAt: Timestamp,
    items: Type.Array(
      closed({
        productId: Id,
        productName: Type.String(),
        optionId: Id,
        optionLabel: nullable(Type.String()),
        quantity: Count,
        unitPrice: Won,
        totalPrice: Won,
        stay: nullable(PricedStay),
        fulfillmentMethod: Type.String(),
      }),
    ),
    amounts: Amounts,
    delivery: Delivery,
    requiresShipping: Type.Boolean(),
    paymentOptions: Type.Array(
      closed({ pg: Type.String(), method: oneOf(PAYMENT_METHODS), provider: nullable(Type.String()), label: Type.String() }),
    ),
    points: nullable(closed(pointFields, { description: 'Null for guests, and while the store lets nobody use points' })),
  },
  { title: 'Checkout' },
);

export const viewPoints = ({ rules, balance }: Usable, payable: Payable) => ({
  balance,
  maxUsable: maxUsable(rules, payable, balance),
  unit: rules.unit,
});

export interface CheckoutFacts {
  readonly store: Store;
  readonly settings: RoutingFacts;
  readonly usable: Usable | null;
}
export function viewCheckout({ checkoutId, expiresAt, lines }: Row, { store, settings, usable }: CheckoutFacts) {
  const { amounts, delivery } = price(lines, null, shippingPolicyOf(store));
  return {
    checkoutId,
    expiresAt: koreanOf(expiresAt),
    items: lines.map((line) => ({
      productId: line.productId,
      productName: line.productName,
      optionId: line.variantId,
      optionLabel: line.optionLabel,
      quantity: line.quantity,
      unitPrice: line.unitPriceWon,
      totalPrice: lineTotalWon(line),
      stay: line.stay ? viewStay(line.stay) : null,
      fulfillmentMethod: line.fulfillmentMethod,
    })),
    amounts,
    delivery,
    requiresShipping: lines.some(isShipped),
    paymentOptions: paymentOptions(settings).map(({ pg, method, provider, label }) => ({ pg, method, provider, label })),
    points: usable && viewPoints(usable, amounts),
  };
}
