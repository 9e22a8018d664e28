import { MAX_QUANTITY } from '../../db/cart/commands.ts';
import { type CartLine } from '../../db/cart/queries.ts';
import { closed, Id, nullable, PricedStay, Type, viewStay, Won } from '../declare/schema.ts';

export const Quantity = Type.Integer({ minimum: 1, maximum: MAX_QUANTITY });
export const Cart = closed(
  {
    items: Type.Array(
      closed({
        cartItemId: Id,
        productId: Id,
        productName: Type.String(),
        optionId: Id,
        optionLabel: nullable(Type.String()),
        quantity: Quantity,
        unitPrice: Won,
        totalPrice: Type.Integer(),
        stay: nullable(PricedStay),
        isAvailable: Type.Boolean(),
        unavailableReason: nullable(
          Type.String({ description: 'DELETED, NOT_ON_SALE, SOLD_OUT, NOT_ENOUGH_STOCK or DATES_UNAVAILABLE; may grow' }),
        ),
      }),
    ),
    cartToken: Type.Optional(Type.String({ description: 'A new token, where the one that was sent has ended' })),
    amounts: closed({ productAmount: Type.Integer({ description: 'Won, of the lines that can be bought' }) }),
  },
  { title: 'Cart' },
);

export const viewCart = (lines: readonly CartLine[], renewedToken: string | null = null) => ({
  ...(renewedToken !== null && { cartToken: renewedToken }),
  items: lines.map(({ item, productName, optionLabel, unitPriceWon, stay, unavailable }) => ({
    cartItemId: item.cartItemId,
    productId: item.productId,
    productName,
    optionId: item.variantId,
    optionLabel,
    quantity: item.quantity,
    unitPrice: unitPriceWon,
    totalPrice: unitPriceWon * item.quantity,
    stay: stay && viewStay(stay),
    isAvailable: unavailable === null,
    unavailableReason: unavailable,
  })),
  amounts: {
    productAmount: lines
      .filter((line) => line.unavailable === null)
      .reduce((sum, { unitPriceWon, item }) => sum + unitPriceWon * item.quantity, 0),
  },
});
