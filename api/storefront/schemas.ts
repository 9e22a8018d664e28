import { earningOfShown, type ShownProduct as Row } from '../../db/products/storefront.ts';
import { DELIVERY_TYPES, FULFILLMENT_METHODS, FULFILLMENT_TYPES } from '../../domain/products/rules.ts';
import { INVENTORY_MODES } from '../../domain/products/calendar.ts';
import { discountedWon } from '../../domain/products/prices.ts';
import { purchasePoint } from '../../domain/points/purchase.ts';
import { koreanDate } from '../../domain/kernel/time.ts';
import { closed, Id, nullable, oneOf, Type, Won } from '../kernel/schema.ts';

export const ShownProduct = closed(
  {
    productId: Id,
    productNo: Type.Integer(),
    name: Type.String(),
    description: nullable(Type.String()),
    images: Type.Array(Type.String()),
    salePrice: Won,
    discountedPrice: nullable(Won),
    originalPrice: nullable(Won),
    categoryId: Id,
    inventoryMode: oneOf(INVENTORY_MODES),
    purchasePoint: nullable(Type.Integer({ description: 'Expected points for one unit; null while earning is off' })),
    isSoldOut: Type.Boolean(),
    optionGroups: Type.Array(closed({ name: Type.String(), values: Type.Array(Type.String()) })),
    variants: Type.Array(
      closed({
        optionId: Id,
        variantId: Id,
        variantNo: Type.String(),
        optionValues: Type.Array(Type.String()),
        price: Type.Integer(),
        isSoldOut: Type.Boolean(),
      }),
    ),
    fulfillment: closed({
      type: oneOf(FULFILLMENT_TYPES),
      methods: Type.Array(oneOf(FULFILLMENT_METHODS)),
      shipping: nullable(closed({ deliveryType: oneOf(DELIVERY_TYPES), deliveryFee: Won, conditionalFreeAmount: nullable(Won) })),
    }),
  },
  { title: 'StorefrontProduct' },
);

/** Prices and availability, without stock counts. */
export function viewShown(product: Row, at: number) {
  const discountedPrice = discountedWon(product.sale_price_won, product.discount, koreanDate(at));
  return {
    productId: product.product_id,
    productNo: product.product_no,
    name: product.name,
    description: product.description,
    images: [...product.images],
    salePrice: product.sale_price_won,
    discountedPrice,
    inventoryMode: product.inventory_mode,
    purchasePoint: purchasePoint(earningOfShown(product), discountedPrice ?? product.sale_price_won, product.point_earn_rate_bp),
    originalPrice: product.original_price_won,
    categoryId: product.category_id,
    isSoldOut: !product.variants.some((variant) => variant.open),
    optionGroups: product.option_groups.map(({ name, values }) => ({ name, values: [...values] })),
    variants: product.variants.map(({ id, no, values, more, open }) => ({
      optionId: id,
      variantId: id,
      variantNo: no,
      optionValues: [...values],
      price: (discountedPrice ?? product.sale_price_won) + more,
      isSoldOut: !open,
    })),
    fulfillment: {
      type: product.fulfillment_type,
      methods: [...product.methods],
      shipping:
        product.fulfillment_type === 'SHIPPING'
          ? {
              deliveryType: product.delivery_type,
              deliveryFee: product.delivery_fee_won,
              conditionalFreeAmount: product.conditional_free_won,
            }
          : null,
    },
  };
}
