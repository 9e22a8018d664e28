import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { CredentialStatus, Method, Routing } from '../../domain/paymentSettings/routing.ts';
import type { Environment, ProviderName } from '../../domain/payments/providers.ts';
import { storeId, textList, time, times } from '../kernel/columns.ts';

/** Inserted by a trigger with the store. */
export const PaymentSettingsEntity = defineEntity({
  name: 'PaymentSettings',
  tableName: 'payment_settings',
  properties: {
    storeId: storeId(),
    sandboxMode: p.boolean(),
    /** The operator's switch. */
    livePayments: p.boolean(),
    routing: p.string().$type<Routing>(),
    priority: textList<ProviderName>(),
    paymentDomains: textList(),
    version: p.integer(),
    updatedAt: time(),
  },
});
export type PaymentSettings = InferEntity<typeof PaymentSettingsEntity>;

/** Inserted by the same trigger, for both providers. */
export const PaymentProviderEntity = defineEntity({
  name: 'PaymentProvider',
  tableName: 'payment_provider',
  properties: {
    storeId: storeId(),
    provider: p.string().$type<ProviderName>().primary(),
    enabled: p.boolean(),
    methods: p.json<readonly Method[]>(),
    /** The last part of the address for its notifications. */
    notificationToken: p.string(),
    version: p.integer(),
    updatedAt: time(),
  },
});
export type PaymentProvider = InferEntity<typeof PaymentProviderEntity>;

/** The public halves of a set, which are answered whole. */
export type PublicHalves = { readonly clientKey: string } | { readonly storeId: string; readonly channelKey: string };
export interface SecretHints {
  readonly secret: string;
  readonly webhookSecret: string | null;
}

/** A credential set of one environment: never changed but for its status, and never deleted (Y9). */
export const PaymentCredentialEntity = defineEntity({
  name: 'PaymentCredential',
  tableName: 'payment_credential',
  properties: {
    storeId: storeId(),
    credentialId: p.string().primary(),
    provider: p.string().$type<ProviderName>(),
    environment: p.string().$type<Environment>(),
    /** Its number in its slot: provider and environment. */
    seq: p.integer(),
    status: p.string().$type<CredentialStatus>(),
    publicHalves: p.json<PublicHalves>(),
    hints: p.json<SecretHints>(),
    secretSealed: p.string(),
    webhookSecretSealed: p.string().nullable(),
    isNewest: p.boolean(),
    /** The newest verified set of its slot: new payments use it. */
    isServing: p.boolean(),
    createdAt: time(),
    updatedAt: time(),
    updatedByName: p.string().nullable(),
    verifiedAt: time().nullable(),
    /** When the provider refused it at a confirm. */
    rejectedAt: time().nullable(),
    retiredAt: time().nullable(),
  },
});
export type PaymentCredential = InferEntity<typeof PaymentCredentialEntity>;

/** Technical failures of confirms, on the real clock. */
export const PaymentCircuitEntity = defineEntity({
  name: 'PaymentCircuit',
  tableName: 'payment_circuit',
  properties: {
    storeId: storeId(),
    provider: p.string().$type<ProviderName>().primary(),
    environment: p.string().$type<Environment>().primary(),
    failedAt: times(),
    openUntil: time().nullable(),
  },
});
