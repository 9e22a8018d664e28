import {
  earningOfShown,
  type ListedShown,
  type SummarizedProduct as Summarized,
  type ShownProduct as Row,
} from '../../db/products/storefront.ts';
import { DELIVERY_TYPES, FULFILLMENT_METHODS, FULFILLMENT_TYPES } from '../../domain/products/rules.ts';
import { INVENTORY_MODES } from '../../domain/products/calendar.ts';
import { discountedWon } from '../../domain/products/prices.ts';
import { purchasePoint } from '../../domain/points/purchase.ts';
import { koreanDate } from '../../domain/kernel/time.ts';
import { summaryFields, viewVariantSums } from '../products/schemas.ts';
import { closed, Id, nullable, oneOf, Type, Won } from '../declare/schema.ts';

const summaryShape = {
  productId: Id,
  productNo: Type.Integer(),
  name: Type.String(),
  salePrice: Won,
  discountedPrice: nullable(Won),
  originalPrice: nullable(Won),
  categoryId: Id,
  inventoryMode: oneOf(INVENTORY_MODES),
  purchasePoint: nullable(Type.Integer({ description: 'Expected points for one unit; null while earning is off' })),
  isSoldOut: Type.Boolean(),
  fulfillment: closed({
    type: oneOf(FULFILLMENT_TYPES),
    methods: Type.Array(oneOf(FULFILLMENT_METHODS)),
    shipping: nullable(closed({ deliveryType: oneOf(DELIVERY_TYPES), deliveryFee: Won, conditionalFreeAmount: nullable(Won) })),
  }),
};
export const ShownProduct = closed(
  {
    ...summaryShape,
    description: nullable(Type.String()),
    images: Type.Array(Type.String()),
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
  },
  { title: 'StorefrontProduct' },
);
/** Of lists: without description, options and variants. */
export const SummarizedProduct = closed({ ...summaryShape, ...summaryFields }, { title: 'StorefrontProductSummary' });

/** Prices and availability, without stock counts. */
export function viewShown(product: Row, at: number) {
  const { priceWon } = pricesOf(product, at);
  return {
    ...viewSummary(product, at),
    description: product.description,
    images: [...product.images],
    isSoldOut: !product.variants.some((variant) => variant.open),
    optionGroups: product.option_groups.map(({ name, values }) => ({ name, values: [...values] })),
    variants: product.variants.map(({ id, no, values, more, open }) => ({
      optionId: id,
      variantId: id,
      variantNo: no,
      optionValues: [...values],
      price: priceWon + more,
      isSoldOut: !open,
    })),
  };
}
/** The same in a list: sums in place of variants. */
export const viewListed = (product: ListedShown, at: number) => ({
  ...viewSummary(product, at),
  images: [...product.images],
  ...viewVariantSums(product.sums, pricesOf(product, at).priceWon),
});

/** `priceWon`: what a buyer pays for a variant without an additional price. */
function pricesOf({ sale_price_won: salePriceWon, discount }: Summarized, at: number) {
  const discountedPrice = discountedWon(salePriceWon, discount, koreanDate(at));
  return { discountedPrice, priceWon: discountedPrice ?? salePriceWon };
}
function viewSummary(product: Summarized, at: number) {
  const { discountedPrice, priceWon } = pricesOf(product, at);
  return {
    productId: product.product_id,
    productNo: product.product_no,
    name: product.name,
    salePrice: product.sale_price_won,
    discountedPrice,
    inventoryMode: product.inventory_mode,
    purchasePoint: purchasePoint(earningOfShown(product), priceWon, product.point_earn_rate_bp),
    originalPrice: product.original_price_won,
    categoryId: product.category_id,
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
