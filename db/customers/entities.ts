import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { ConsentAction, ConsentKind, ConsentPath } from '../../domain/customers/consents.ts';
import { storeId, time } from '../kernel/columns.ts';

/** A buyer with an account in the store. One who withdraws has no row any more. */
export const CustomerEntity = defineEntity({
  name: 'Customer',
  tableName: 'customer',
  properties: {
    storeId: storeId(),
    customerId: p.string().primary(),
    email: p.string(),
    name: p.string().nullable(),
    phone: p.string().nullable(),
    /** Null: they have none, and come through the server of the store. */
    passwordHash: p.string().nullable(),
    /** Tokens of an earlier generation are invalid. */
    tokenGeneration: p.integer().default(0),
    createdAt: time(),
    /** The newest consent to MARKETING; written by a trigger. */
    marketingAgreed: p.boolean().default(false),
  },
});

export const CustomerConsentEntity = defineEntity({
  name: 'CustomerConsent',
  tableName: 'customer_consent',
  properties: {
    storeId: storeId(),
    consentId: p.string().primary(),
    customerId: p.string(),
    kind: p.string().$type<ConsentKind>(),
    action: p.string().$type<ConsentAction>(),
    version: p.string().nullable(),
    /** Where the text stood then; null for MARKETING, which has none. */
    url: p.string().nullable(),
    path: p.string().$type<ConsentPath>(),
    at: time(),
  },
});
export type CustomerConsent = InferEntity<typeof CustomerConsentEntity>;

/** A buyer's address book. */
export const CustomerAddressEntity = defineEntity({
  name: 'CustomerAddress',
  tableName: 'customer_address',
  properties: {
    storeId: storeId(),
    addressId: p.string().primary(),
    customerId: p.string(),
    /** What the buyer calls it. */
    name: p.string().nullable(),
    receiverName: p.string(),
    phone: p.string(),
    zipCode: p.string(),
    address1: p.string(),
    address2: p.string().nullable(),
    isDefault: p.boolean(),
    createdAt: time(),
  },
});
export type CustomerAddress = InferEntity<typeof CustomerAddressEntity>;

export const WishlistItemEntity = defineEntity({
  name: 'WishlistItem',
  tableName: 'wishlist_item',
  properties: { storeId: storeId(), customerId: p.string().primary(), productId: p.string().primary(), addedAt: time() },
});

/** The search of customers, and their numbers; all written by triggers. */
export const CustomerGramEntity = defineEntity({
  name: 'CustomerGram',
  tableName: 'customer_gram',
  properties: { storeId: storeId(), gram: p.string().primary(), customerId: p.string().primary() },
});
export const CustomerStatsEntity = defineEntity({
  name: 'CustomerStats',
  tableName: 'customer_stats',
  properties: {
    storeId: storeId(),
    customerId: p.string().primary(),
    /** Whether it counts orders in sandbox mode too. */
    withTest: p.boolean().primary(),
    orderCount: p.integer().default(0),
    paidWon: p.bigint('number').defaultRaw('0'),
    refundedWon: p.bigint('number').defaultRaw('0'),
    /** Paid less refunded; generated. */
    purchaseWon: p.bigint('number'),
    lastOrderedAt: time().nullable(),
  },
});
export const CustomerCountEntity = defineEntity({
  name: 'CustomerCount',
  tableName: 'customer_count',
  properties: {
    storeId: storeId(),
    /** A Korean day. */
    joinedOn: p.date().primary(),
    marketing: p.boolean().primary(),
    n: p.bigint('number'),
  },
});

export const CustomerWithdrawalEntity = defineEntity({
  name: 'CustomerWithdrawal',
  tableName: 'customer_withdrawal',
  properties: { storeId: storeId(), customerId: p.string().primary(), withdrawnAt: time(), reason: p.string().nullable() },
});
