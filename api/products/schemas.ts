import type { ProductWithVariants } from '../../db/catalog/store.ts';
import { MOST_STOCK } from '../../db/catalog/store.ts';
import { DELIVERY_TYPES, isSoldOut, SALES_STATUSES, SHIPPING_METHODS } from '../../workflows/catalog/rules.ts';
import { korean } from '../../workflows/kernel/time.ts';
import { closed, Id, Name, nullable, oneOf, Timestamp, Type, Won } from '../kernel/schema.ts';

const Price = Type.Integer({ minimum: 10, maximum: 2_000_000_000, description: 'Won, a multiple of 10' });
export const Stock = Type.Integer({ minimum: 0, maximum: MOST_STOCK });
const HttpsUrl = Type.String({ format: 'uri', pattern: '^https://', maxLength: 1000 });

const Variant = closed(
  {
    variantId: Id,
    variantNo: Type.String(),
    optionValues: Type.Array(Type.String()),
    price: Type.Integer(),
    additionalPrice: Type.Integer(),
    stockQuantity: Stock,
    isSellable: Type.Boolean(),
    isSoldOut: Type.Boolean(),
    sku: Type.Null(),
    barcode: Type.Null(),
    sellerCode: Type.Null(),
    costPrice: Type.Null(),
    weightGram: Type.Null(),
    attributes: Type.Null(),
  },
  { title: 'Variant' },
);
export const Product = closed(
  {
    productId: Id,
    productNo: Type.Integer(),
    name: Type.String(),
    description: nullable(Type.String()),
    images: Type.Array(Type.String()),
    salePrice: Won,
    originalPrice: nullable(Won),
    categoryId: Id,
    status: oneOf(SALES_STATUSES),
    stockQuantity: Type.Integer(),
    inventoryMode: oneOf(['STANDARD']),
    fulfillment: closed({
      type: oneOf(['SHIPPING']),
      methods: Type.Array(oneOf(SHIPPING_METHODS)),
      shipping: closed({
        deliveryType: oneOf(DELIVERY_TYPES),
        deliveryFee: Won,
        conditionalFreeAmount: nullable(Won),
        shippingAddressId: Type.Null(),
        returnAddressId: Type.Null(),
      }),
    }),
    optionGroups: Type.Array(closed({ name: Type.String(), values: Type.Array(Type.String()) })),
    variants: Type.Array(Variant),
    discount: Type.Null(),
    refundPolicy: Type.Null(),
    pointEarnRateBp: Type.Null(),
    fulfillmentTypeLocked: Type.Boolean(),
    flowId: Type.Null(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'Product' },
);
export const ProductRequest = closed(
  {
    name: Name(100),
    description: Type.Optional(nullable(Type.String({ maxLength: 20_000 }))),
    images: Type.Optional(Type.Array(HttpsUrl, { maxItems: 10 })),
    salePrice: Price,
    originalPrice: Type.Optional(nullable(Won)),
    categoryId: Id,
    stockQuantity: Type.Optional(Stock),
    inventoryMode: Type.Optional(oneOf(['STANDARD'])),
    optionGroups: Type.Optional(Type.Array(Type.Null(), { maxItems: 0 })),
    refundPolicy: Type.Optional(Type.Null()),
    pointEarnRateBp: Type.Optional(Type.Null()),
    flowId: Type.Optional(Type.Null()),
    fulfillment: Type.Optional(
      closed({
        type: oneOf(['SHIPPING']),
        methods: Type.Optional(Type.Array(oneOf(SHIPPING_METHODS), { minItems: 1, maxItems: 2 })),
        shipping: Type.Optional(
          closed({
            deliveryType: Type.Optional(oneOf(DELIVERY_TYPES)),
            deliveryFee: Type.Optional(Won),
            conditionalFreeAmount: Type.Optional(nullable(Won)),
          }),
        ),
      }),
    ),
  },
  { title: 'ProductRequest' },
);

const NO_SKU = { sku: null, barcode: null, sellerCode: null, costPrice: null, weightGram: null, attributes: null };

export const viewProduct = ({ product, variants, isSold }: ProductWithVariants) => ({
  productId: product.productId,
  productNo: product.productNo,
  name: product.name,
  description: product.description ?? null,
  images: product.images,
  salePrice: product.salePriceWon,
  originalPrice: product.originalPriceWon ?? null,
  categoryId: product.categoryId,
  status: product.status,
  stockQuantity: variants.filter((variant) => variant.isSellable).reduce((sum, variant) => sum + variant.stockQuantity, 0),
  inventoryMode: product.inventoryMode,
  fulfillment: {
    type: 'SHIPPING' as const,
    methods: product.methods,
    shipping: {
      deliveryType: product.deliveryType,
      deliveryFee: product.deliveryFeeWon,
      conditionalFreeAmount: product.conditionalFreeWon ?? null,
      shippingAddressId: null,
      returnAddressId: null,
    },
  },
  optionGroups: [],
  variants: variants.map((variant) => ({
    variantId: variant.variantId,
    variantNo: variant.variantNo,
    optionValues: variant.optionValues,
    price: product.salePriceWon + variant.additionalPriceWon,
    additionalPrice: variant.additionalPriceWon,
    stockQuantity: variant.stockQuantity,
    isSellable: variant.isSellable,
    isSoldOut: isSoldOut(variant),
    ...NO_SKU,
  })),
  discount: null,
  refundPolicy: null,
  pointEarnRateBp: null,
  fulfillmentTypeLocked: isSold,
  flowId: null,
  createdAt: korean(product.createdAt.getTime()),
  updatedAt: korean(product.updatedAt.getTime()),
});
