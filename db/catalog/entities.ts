import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { DeliveryType, FulfillmentMethod, SalesStatus } from '../../workflows/catalog/rules.ts';
import { storeId, textList, time, won } from '../kernel/columns.ts';

export const CategoryEntity = defineEntity({
  name: 'Category',
  tableName: 'category',
  properties: {
    storeId: storeId(),
    categoryId: p.string().primary(),
    name: p.string(),
    parentId: p.string().nullable(),
    depth: p.integer(),
    isLeaf: p.boolean(),
    flowId: p.string().nullable(),
    createdAt: time(),
  },
});
export type Category = InferEntity<typeof CategoryEntity>;

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
    categoryId: p.string(),
    status: p.string().$type<SalesStatus>(),
    inventoryMode: p.string().$type<'STANDARD'>(),
    deliveryType: p.string().$type<DeliveryType>(),
    deliveryFeeWon: won(),
    conditionalFreeWon: won().nullable(),
    methods: textList<FulfillmentMethod>(),
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
    optionValues: textList(),
    stockQuantity: p.integer(),
    additionalPriceWon: won(),
    isSellable: p.boolean(),
  },
});
export type Variant = InferEntity<typeof VariantEntity>;
