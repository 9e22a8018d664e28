import type { ProductWithVariants } from '../../db/catalog/products.ts';
import { MOST_STOCK } from '../../db/catalog/store.ts';
import { MOST_AXES, MOST_VALUES, MOST_VARIANTS } from '../../workflows/catalog/options.ts';
import { DELIVERY_TYPES, FULFILLMENT_METHODS, FULFILLMENT_TYPES, isSoldOut, SALES_STATUSES } from '../../workflows/catalog/rules.ts';
import { korean } from '../../workflows/kernel/time.ts';
import { closed, Id, Name, nullable, oneOf, Timestamp, Type, Won } from '../kernel/schema.ts';

const Price = Type.Integer({ minimum: 10, maximum: 2_000_000_000, description: 'Won, a multiple of 10' });
export const Stock = Type.Integer({ minimum: 0, maximum: MOST_STOCK });
const HttpsUrl = Type.String({ format: 'uri', pattern: '^https://', maxLength: 1000 });

const Code = Type.String({ maxLength: 100 });
const Attributes = Type.Record(Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_]{0,39}$' }), Type.String({ maxLength: 200 }), {
  additionalProperties: false,
  maxProperties: 20,
});

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
    sku: nullable(Code),
    barcode: nullable(Code),
    sellerCode: nullable(Code),
    costPrice: nullable(Won),
    weightGram: nullable(Type.Integer()),
    attributes: nullable(Attributes),
  },
  { title: 'Variant' },
);
const VariantRequest = closed(
  {
    optionValues: Type.Array(Type.String({ maxLength: 50 }), { maxItems: MOST_AXES }),
    stockQuantity: Type.Optional(Stock),
    additionalPrice: Type.Optional(
      Type.Integer({ minimum: -2_000_000_000, maximum: 2_000_000_000, description: 'Won, added to salePrice' }),
    ),
    isSellable: Type.Optional(Type.Boolean()),
    sku: Type.Optional(nullable(Code)),
    barcode: Type.Optional(nullable(Code)),
    sellerCode: Type.Optional(nullable(Code)),
    costPrice: Type.Optional(nullable(Won)),
    weightGram: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 10_000_000 }))),
    attributes: Type.Optional(nullable(Attributes)),
  },
  { title: 'VariantRequest' },
);
const OptionGroup = closed(
  { name: Name(50), values: Type.Array(Name(50), { minItems: 1, maxItems: MOST_VALUES }) },
  { title: 'OptionGroup' },
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
      type: oneOf(FULFILLMENT_TYPES),
      methods: Type.Array(oneOf(FULFILLMENT_METHODS)),
      shipping: nullable(
        closed({
          deliveryType: oneOf(DELIVERY_TYPES),
          deliveryFee: Won,
          conditionalFreeAmount: nullable(Won),
          shippingAddressId: Type.Null(),
          returnAddressId: Type.Null(),
        }),
      ),
    }),
    optionGroups: Type.Array(OptionGroup),
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
    optionGroups: Type.Optional(Type.Array(OptionGroup, { maxItems: MOST_AXES })),
    variants: Type.Optional(Type.Array(VariantRequest, { maxItems: MOST_VARIANTS })),
    refundPolicy: Type.Optional(Type.Null()),
    pointEarnRateBp: Type.Optional(Type.Null()),
    flowId: Type.Optional(Type.Null()),
    fulfillment: Type.Optional(
      closed({
        type: oneOf(FULFILLMENT_TYPES),
        methods: Type.Optional(Type.Array(oneOf(FULFILLMENT_METHODS), { minItems: 1, maxItems: 4 })),
        shipping: Type.Optional(
          nullable(
            closed({
              deliveryType: Type.Optional(oneOf(DELIVERY_TYPES)),
              deliveryFee: Type.Optional(Won),
              conditionalFreeAmount: Type.Optional(nullable(Won)),
            }),
          ),
        ),
      }),
    ),
  },
  { title: 'ProductRequest' },
);

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
    type: product.fulfillmentType,
    methods: product.methods,
    shipping:
      product.fulfillmentType === 'SHIPPING'
        ? {
            deliveryType: product.deliveryType,
            deliveryFee: product.deliveryFeeWon,
            conditionalFreeAmount: product.conditionalFreeWon ?? null,
            shippingAddressId: null,
            returnAddressId: null,
          }
        : null,
  },
  optionGroups: product.optionGroups.map(({ name, values }) => ({ name, values: [...values] })),
  variants: variants.map((variant) => ({
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
  })),
  discount: null,
  refundPolicy: null,
  pointEarnRateBp: null,
  fulfillmentTypeLocked: isSold,
  flowId: null,
  createdAt: korean(product.createdAt.getTime()),
  updatedAt: korean(product.updatedAt.getTime()),
});
