import type { ListedProduct, ProductRow, ProductWithVariants, VariantRow } from '../../db/products/queries.ts';
import { MAX_STOCK } from '../../db/products/stockChanges.ts';
import { INVENTORY_MODES } from '../../domain/products/calendar.ts';
import { MAX_VALUES } from '../../domain/products/options.ts';
import { buyerPriceWon, type Discount as DiscountRow, DISCOUNT_METHODS } from '../../domain/products/prices.ts';
import { DELIVERY_TYPES, FULFILLMENT_METHODS, FULFILLMENT_TYPES, isSoldOut, SALES_STATUSES } from '../../domain/products/rules.ts';
import { koreanDate, koreanOf } from '../../domain/kernel/time.ts';
import { closed, Count, Day, Id, Name, nullable, oneOf, Timestamp, Type, Won } from '../declare/schema.ts';

export const Price = Type.Integer({ minimum: 10, maximum: 2_000_000_000, description: 'Won' });
/** A price that is not a multiple of the unit is INVALID_PRICE_UNIT. */
export const SalePrice = Type.Integer({ minimum: 10, maximum: 2_000_000_000, description: 'Won', 'x-document': { multipleOf: 10 } });
/** What there is: units come back beyond what a seller may write. */
export const StockCount = Type.Integer({ minimum: 0, maximum: 2_147_483_647 });
/** A count that may be sent back as it was read; another one over MAX_STOCK is refused with the stock at hand. */
export const SentStock = Type.Integer({
  minimum: 0,
  maximum: 2_147_483_647,
  description: `At most ${MAX_STOCK}, or as many as there are already`,
});
export const Code = Type.String({ maxLength: 100 });
export const Attributes = Type.Record(Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_]{0,39}$' }), Type.String({ maxLength: 200 }), {
  additionalProperties: false,
  maxProperties: 20,
});

const PAID_NOW =
  'What a buyer would pay now for a variant, discount and additional price included; of a DATED product, for a night without a price of its own';
const Variant = closed(
  {
    variantId: Id,
    variantNo: Type.String(),
    optionValues: Type.Array(Type.String()),
    price: Type.Integer(),
    additionalPrice: Type.Integer(),
    stockQuantity: StockCount,
    isSellable: Type.Boolean(),
    isSoldOut: Type.Boolean(),
    sku: nullable(Code),
    barcode: nullable(Code),
    sellerCode: nullable(Code),
    costPrice: nullable(Won),
    weightGram: nullable(Type.Integer()),
    attributes: nullable(Attributes),
  },
  { title: 'Variant' },
);
export const OptionGroup = closed(
  { name: Name(50), values: Type.Array(Name(50), { minItems: 1, maxItems: MAX_VALUES, 'x-document': { uniqueItems: true } }) },
  { title: 'OptionGroup' },
);
const OptionGroupView = closed({ name: Type.String(), values: Type.Array(Type.String()) }, { title: 'ProductOptionGroup' });
export const Discount = closed(
  {
    method: oneOf(DISCOUNT_METHODS),
    value: Type.Integer({ description: 'Percent for RATE, won for AMOUNT' }),
    startDate: Day,
    endDate: Day,
  },
  { title: 'Discount' },
);
const ProductRefundPolicy = closed(
  {
    preShipmentDeliveryFeeRefund: Type.Optional(Type.Boolean()),
    returnDeliveryFee: Type.Optional(Won),
    exchangeDeliveryFee: Type.Optional(Won),
    sellerFaultFreeShipping: Type.Optional(Type.Boolean()),
    conditionalFreeShortfallCharge: Type.Optional(Type.Boolean()),
  },
  { title: 'ProductRefundPolicy' },
);
const productFields = {
  productId: Id,
  productNo: Type.Integer(),
  name: Type.String(),
  salePrice: Won,
  originalPrice: nullable(Won),
  categoryId: Id,
  status: oneOf(SALES_STATUSES),
  stockQuantity: Type.Integer(),
  inventoryMode: oneOf(INVENTORY_MODES),
  fulfillment: closed({
    type: oneOf(FULFILLMENT_TYPES),
    methods: Type.Array(oneOf(FULFILLMENT_METHODS)),
    shipping: nullable(
      closed({
        deliveryType: oneOf(DELIVERY_TYPES),
        deliveryFee: Won,
        conditionalFreeAmount: nullable(Won),
        shippingAddressId: nullable(Id),
        returnAddressId: nullable(Id),
      }),
    ),
  }),
  discount: nullable(Discount),
  refundPolicy: nullable(ProductRefundPolicy),
  pointEarnRateBp: nullable(Type.Integer()),
  fulfillmentTypeLocked: Type.Boolean(),
  flowId: nullable(Id),
  createdAt: Timestamp,
  updatedAt: Timestamp,
};
export const Product = closed(
  {
    ...productFields,
    description: nullable(Type.String()),
    images: Type.Array(Type.String()),
    optionGroups: Type.Array(OptionGroupView),
    variants: Type.Array(Variant),
  },
  { title: 'Product' },
);
/** What lists of products tell of variants and images, to sellers and buyers (D90). */
export const summaryFields = {
  images: Type.Array(Type.String(), { maxItems: 1, description: 'The first one; the detail has all' }),
  variantCount: Count,
  isSoldOut: Type.Boolean({ description: 'Buyers can have none of its variants' }),
  minPrice: Type.Integer({ description: `Won. ${PAID_NOW}` }),
  maxPrice: Type.Integer({ description: `Won. ${PAID_NOW}` }),
};
/** Of lists: without description, options and variants. */
export const ProductSummary = closed({ ...productFields, ...summaryFields }, { title: 'ProductSummary' });
export const Options = closed({ optionGroups: Type.Array(OptionGroupView), variants: Type.Array(Variant) }, { title: 'Options' });

export const viewProduct = ({ product, variants, isSold }: ProductWithVariants) => ({
  ...viewHead(product, isSold),
  description: product.description ?? null,
  images: product.images,
  stockQuantity: variants.filter((variant) => variant.isSellable).reduce((sum, variant) => sum + variant.stockQuantity, 0),
  optionGroups: product.optionGroups.map(({ name, values }) => ({ name, values: [...values] })),
  variants: variants.map((variant) => viewVariant(product, variant)),
});

/** An item of the list, at this business time. */
export const viewListed = ({ product, images, variants, isSold }: ListedProduct, at: number) => ({
  ...viewHead(product, isSold),
  images: [...images],
  stockQuantity: variants.stock,
  ...viewVariantSums(variants, buyerPriceWon(product.salePriceWon, product.discount ?? null, koreanDate(at))),
});
/** `priceWon`: what a buyer pays for a variant without an additional price. */
export const viewVariantSums = ({ count, isOpen, min, max }: ListedProduct['variants'], priceWon: number) => ({
  variantCount: count,
  isSoldOut: !isOpen,
  minPrice: priceWon + min,
  maxPrice: priceWon + max,
});

const viewHead = (product: ListedProduct['product'], isSold: boolean) => ({
  productId: product.productId,
  productNo: product.productNo,
  name: product.name,
  salePrice: product.salePriceWon,
  originalPrice: product.originalPriceWon ?? null,
  categoryId: product.categoryId!,
  status: product.status,
  inventoryMode: product.inventoryMode,
  fulfillment: {
    type: product.fulfillmentType,
    methods: product.methods,
    shipping:
      product.fulfillmentType === 'SHIPPING'
        ? {
            deliveryType: product.deliveryType,
            deliveryFee: product.deliveryFeeWon,
            conditionalFreeAmount: product.conditionalFreeWon ?? null,
            shippingAddressId: product.shippingAddressId ?? null,
            returnAddressId: product.returnAddressId ?? null,
          }
        : null,
  },
  discount: product.discount ? viewDiscount(product.discount) : null,
  refundPolicy: product.refundPolicy ?? null,
  pointEarnRateBp: product.pointEarnRateBp ?? null,
  fulfillmentTypeLocked: isSold,
  flowId: product.flowId ?? null,
  createdAt: koreanOf(product.createdAt),
  updatedAt: koreanOf(product.updatedAt),
});

export const viewDiscount = ({ method, value, startDate, endDate }: DiscountRow) => ({ method, value, startDate, endDate });

const viewVariant = (product: ProductRow, variant: VariantRow) => ({
  variantId: variant.variantId,
  variantNo: variant.variantNo,
  optionValues: variant.optionValues,
  price: product.salePriceWon + variant.additionalPriceWon,
  additionalPrice: variant.additionalPriceWon,
  stockQuantity: variant.stockQuantity,
  isSellable: variant.isSellable,
  isSoldOut: isSoldOut(variant),
  sku: variant.sku ?? null,
  barcode: variant.barcode ?? null,
  sellerCode: variant.sellerCode ?? null,
  costPrice: variant.costPriceWon ?? null,
  weightGram: variant.weightGram ?? null,
  attributes: variant.attributes ?? null,
});
/** The response of GET and PUT …/options. */
export const viewOptions = ({ product, variants }: ProductWithVariants) => ({
  optionGroups: product.optionGroups.map(({ name, values }) => ({ name, values: [...values] })),
  variants: variants.map((variant) => viewVariant(product, variant)),
});
