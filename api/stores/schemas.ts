import type { Store as Row } from '../../db/stores/entities.ts';
import { refundPolicyOf } from '../../db/stores/queries.ts';
import type { FieldError } from '../../domain/kernel/errors.ts';
import { isHost, ORIGIN } from '../../domain/kernel/hosts.ts';
import { closed, Id, nullable, type Static, Type, Won, type Fitting } from '../declare/schema.ts';

const Days = Type.Integer({ minimum: 0, maximum: 30, description: 'Days; 0 switches it off' });

const Version = Type.String({ minLength: 1, maxLength: 30, description: 'Date-like text, such as 2026-11-01' });
const Link = Type.String({ format: 'uri', pattern: '^https://', maxLength: 1000 });
const Origin = Type.String({
  pattern: ORIGIN,
  maxLength: 260,
  description: 'Scheme, host and optional port; empty list: all origins',
});

const shipping = { baseDeliveryFee: Won, freeThreshold: nullable(Won), jejuSurcharge: Won, isolatedSurcharge: Won };
const refund = {
  preShipmentDeliveryFeeRefund: Type.Boolean(),
  returnDeliveryFee: Won,
  exchangeDeliveryFee: Won,
  sellerFaultFreeShipping: Type.Boolean(),
  conditionalFreeShortfallCharge: Type.Boolean(),
  couponShortfallCharge: Type.Boolean(),
};

export const Store = closed(
  {
    storeId: Id,
    storeCode: Type.String(),
    name: Type.String(),
    sandbox: Type.Boolean(),
    shippingPolicy: closed(shipping, { title: 'ShippingPolicy' }),
    refundPolicy: closed(refund, { title: 'RefundPolicy' }),
    autoDeliverDays: Days,
    autoConfirmDays: Days,
    guestCheckoutEnabled: Type.Boolean(),
    termsVersion: nullable(Version),
    privacyVersion: nullable(Version),
    termsUrl: nullable(Link),
    privacyUrl: nullable(Link),
    analyticsAllowedOrigins: Type.Array(Type.String()),
    taxRegistrationNumber: nullable(Type.String({ description: 'Ten digits' })),
    storefrontUrl: nullable(Type.String({ description: 'The primary public address; null while there is none' })),
  },
  { title: 'Store' },
);
export const StorePatch = closed(
  {
    shippingPolicy: Type.Optional(
      closed({
        baseDeliveryFee: Type.Optional(Won),
        freeThreshold: Type.Optional(nullable(Won)),
        jejuSurcharge: Type.Optional(Won),
        isolatedSurcharge: Type.Optional(Won),
      }),
    ),
    refundPolicy: Type.Optional(
      closed({
        preShipmentDeliveryFeeRefund: Type.Optional(Type.Boolean()),
        returnDeliveryFee: Type.Optional(Won),
        exchangeDeliveryFee: Type.Optional(Won),
        sellerFaultFreeShipping: Type.Optional(Type.Boolean()),
        conditionalFreeShortfallCharge: Type.Optional(Type.Boolean()),
        couponShortfallCharge: Type.Optional(Type.Boolean()),
      }),
    ),
    autoDeliverDays: Type.Optional(Days),
    autoConfirmDays: Type.Optional(Days),
    guestCheckoutEnabled: Type.Optional(Type.Boolean()),
    termsVersion: Type.Optional(nullable(Version)),
    privacyVersion: Type.Optional(nullable(Version)),
    termsUrl: Type.Optional(nullable(Link)),
    privacyUrl: Type.Optional(nullable(Link)),
    taxRegistrationNumber: Type.Optional(
      nullable(Type.String({ maxLength: 30, pattern: '^-*(?:[0-9]-*){10}$', description: 'Ten digits; hyphens are left out' })),
    ),
    analyticsAllowedOrigins: Type.Optional(Type.Array(Origin, { maxItems: 20, uniqueItems: true })),
  },
  { title: 'StorePatch' },
);

/** Field errors for origins that no browser can send: host names with invalid punycode. */
export const originProblems = ({ analyticsAllowedOrigins: origins = [] }: Fitting<Static<typeof StorePatch>>): FieldError[] =>
  origins.flatMap((origin, i) =>
    origin !== undefined && !(URL.canParse(origin) && isHost(new URL(origin).hostname))
      ? [{ field: `analyticsAllowedOrigins[${i}]`, code: 'INVALID', message: 'names no host' }]
      : [],
  );

export const viewStore = (store: Row) => ({
  storeId: store.storeId,
  storeCode: store.storeCode,
  name: store.name,
  sandbox: store.sandbox,
  shippingPolicy: {
    baseDeliveryFee: store.baseDeliveryFeeWon,
    freeThreshold: store.freeThresholdWon ?? null,
    jejuSurcharge: store.jejuSurchargeWon,
    isolatedSurcharge: store.isolatedSurchargeWon,
  },
  refundPolicy: refundPolicyOf(store),
  autoDeliverDays: store.autoDeliverDays,
  autoConfirmDays: store.autoConfirmDays,
  guestCheckoutEnabled: store.guestCheckoutEnabled,
  termsVersion: store.termsVersion ?? null,
  privacyVersion: store.privacyVersion ?? null,
  termsUrl: store.termsUrl ?? null,
  privacyUrl: store.privacyUrl ?? null,
  analyticsAllowedOrigins: [...store.analyticsAllowedOrigins],
  taxRegistrationNumber: store.taxRegistrationNumber ?? null,
  storefrontUrl: null,
});
