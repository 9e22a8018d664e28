import { defineEntity, p } from '@mikro-orm/core';
import { storeId, time } from '../kernel/columns.ts';

/** A buyer with an account in the store. */
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
    /** Tokens of an earlier generation are invalid (X8). */
    tokenGeneration: p.integer().default(0),
    createdAt: time(),
  },
});

export const CustomerConsentEntity = defineEntity({
  name: 'CustomerConsent',
  tableName: 'customer_consent',
  properties: {
    storeId: storeId(),
    consentId: p.string().primary(),
    customerId: p.string(),
    kind: p.string().$type<'TERMS' | 'PRIVACY' | 'MARKETING'>(),
    action: p.string().$type<'AGREE'>(),
    version: p.string().nullable(),
    path: p.string().$type<'SIGNUP'>(),
    at: time(),
  },
});
