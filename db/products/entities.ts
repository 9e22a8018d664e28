import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { InventoryMode } from '../../domain/products/calendar.ts';
import type { OptionGroup } from '../../domain/products/options.ts';
import type { Discount } from '../../domain/products/prices.ts';
import type { ProductRefundPolicy } from '../../domain/products/refundPolicy.ts';
import type { DeliveryType, FulfillmentMethod, FulfillmentType, SalesStatus } from '../../domain/products/rules.ts';
import { storeId, textList, time, won } from '../kernel/columns.ts';

export const ProductEntity = defineEntity({
  name: 'Product',
  tableName: 'product',
  properties: {
    storeId: storeId(),
    productId: p.string().primary(),
    productNo: p.integer(),
    name: p.string(),
    description: p.string().nullable(),
    images: p.json<string[]>(),
    salePriceWon: won(),
    originalPriceWon: won().nullable(),
    /** Null once it is deleted. */
    categoryId: p.string().nullable(),
    status: p.string().$type<SalesStatus>(),
    inventoryMode: p.string().$type<InventoryMode>(),
    deliveryType: p.string().$type<DeliveryType>(),
    deliveryFeeWon: won(),
    conditionalFreeWon: won().nullable(),
    fulfillmentType: p.string().$type<FulfillmentType>(),
    methods: textList<FulfillmentMethod>(),
    /** Null: the store's default. */
    shippingAddressId: p.string().nullable(),
    returnAddressId: p.string().nullable(),
    optionGroups: p.json<OptionGroup[]>(),
    /** Overrides of the store's refund policy; null: none. */
    refundPolicy: p.json<ProductRefundPolicy>().nullable(),
    pointEarnRateBp: p.integer().nullable(),
    flowId: p.string().nullable(),
    discount: p.json<Discount>().nullable(),
    /** Counts changes; the ETag. */
    version: p.integer(),
    /** The sequence of the next variant; never reused. */
    nextVariantSeq: p.integer(),
    createdAt: time(),
    updatedAt: time(),
    deletedAt: time().nullable(),
  },
});
export type Product = InferEntity<typeof ProductEntity>;

export const VariantEntity = defineEntity({
  name: 'Variant',
  tableName: 'variant',
  properties: {
    storeId: storeId(),
    variantId: p.string().primary(),
    productId: p.string(),
    variantNo: p.string(),
    /** Its permanent sequence number within the product. */
    seq: p.integer(),
    optionValues: textList(),
    stockQuantity: p.integer(),
    additionalPriceWon: won(),
    isSellable: p.boolean(),
    sku: p.string().nullable(),
    barcode: p.string().nullable(),
    sellerCode: p.string().nullable(),
    costPriceWon: won().nullable(),
    weightGram: p.integer().nullable(),
    attributes: p.json<Record<string, string>>().nullable(),
    deletedAt: time().nullable(),
  },
});
export type Variant = InferEntity<typeof VariantEntity>;

/** The 1-grams and 2-grams of a product's name. */
export const ProductGramEntity = defineEntity({
  name: 'ProductGram',
  tableName: 'product_gram',
  properties: { storeId: storeId(), gram: p.string().primary(), productId: p.string().primary() },
});

/** Of units that are no stock: damaged or missing when they came back, or sold before a rejection took them back. */
export type UnsellableReason = 'RETURN_DAMAGED' | 'RETURN_MISSING' | 'RETURN_SHORTFALL' | 'FLOW_SHORTFALL';
export type MovementReason =
  | 'INITIAL'
  | 'SALE'
  | 'SALE_UNDONE'
  | 'CANCEL'
  | 'SELLER'
  | 'RETURN'
  | 'RETURN_REJECTED'
  | 'EXCHANGE'
  /** A flow has given an item's units back on the way, and has taken them again. */
  | 'FLOW_RESTORED'
  | 'FLOW_CAPTURED'
  | UnsellableReason;
export const StockMovementEntity = defineEntity({
  name: 'StockMovement',
  tableName: 'stock_movement',
  properties: {
    storeId: storeId(),
    movementId: p.string().primary(),
    variantId: p.string(),
    /** What it changed the stock by. */
    quantity: p.integer(),
    unsellableQuantity: p.integer().default(0),
    reason: p.string().$type<MovementReason>(),
    /** What caused it, once for each reason: a payment attempt, a request. */
    reference: p.string(),
    note: p.string().nullable(),
    at: time(),
  },
});

/** A night without a row has no stock. */
export const VariantNightEntity = defineEntity({
  name: 'VariantNight',
  tableName: 'variant_night',
  properties: {
    storeId: storeId(),
    variantId: p.string().primary(),
    night: p.date().primary(),
    stock: p.integer(),
    /** Null: the sale price. */
    priceWon: won().nullable(),
  },
});

export const NightMovementEntity = defineEntity({
  name: 'NightMovement',
  tableName: 'night_movement',
  properties: {
    storeId: storeId(),
    movementId: p.string().primary(),
    variantId: p.string(),
    night: p.date(),
    quantity: p.integer(),
    reason: p.string().$type<Exclude<MovementReason, 'INITIAL'>>(),
    reference: p.string(),
    at: time(),
  },
});
