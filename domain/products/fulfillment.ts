/** How a product reaches its buyer: type, methods and the delivery rule (docs/contract.md#fulfillment). */
import { Fault, type FieldError } from '../kernel/errors.ts';
import type { ProductRefundPolicy } from './refundPolicy.ts';
import { type AddressType, type DeliveryType, type FulfillmentMethod, type FulfillmentType, METHODS } from './rules.ts';

export interface ShippingRequest {
  readonly deliveryType?: DeliveryType;
  readonly deliveryFee?: number;
  readonly conditionalFreeAmount?: number | null;
  readonly shippingAddressId?: string | null;
  readonly returnAddressId?: string | null;
}
export interface FulfillmentRequest {
  readonly type?: FulfillmentType;
  readonly methods?: readonly FulfillmentMethod[];
  readonly shipping?: ShippingRequest | null;
}
/** As a product stores it. Amounts in won; a null address means the store's default. */
export interface Fulfillment {
  readonly fulfillmentType: FulfillmentType;
  readonly methods: FulfillmentMethod[];
  readonly deliveryType: DeliveryType;
  readonly deliveryFeeWon: number;
  readonly conditionalFreeWon: number | null;
  readonly shippingAddressId: string | null;
  readonly returnAddressId: string | null;
}
/** Defaults for what a registration leaves out. Won. */
export interface StoreDefaults {
  readonly deliveryFeeWon: number;
  readonly addressIds: Readonly<Record<AddressType, string | null>>;
}

/** A request of which fields that failed the schema are present but undefined: they are not checked again. */
type Fitting<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** Problems of a delivery rule. Nothing is corrected silently: FREE with a fee of 500 is refused. */
export function shippingProblems(request: Fitting<ShippingRequest>): FieldError[] {
  const { deliveryType, deliveryFee = 0, conditionalFreeAmount } = { deliveryType: 'PAID', conditionalFreeAmount: null, ...request };
  if (deliveryType === undefined) return [];
  const problem = (name: string, message: string): FieldError => ({ field: `fulfillment.shipping.${name}`, code: 'INVALID', message });
  const isConditional = deliveryType === 'CONDITIONAL_FREE';
  return [
    ...(deliveryType === 'FREE' && deliveryFee !== 0 ? [problem('deliveryFee', 'FREE delivery has no fee.')] : []),
    ...(isConditional && conditionalFreeAmount === null
      ? [problem('conditionalFreeAmount', 'CONDITIONAL_FREE needs the amount from which delivery is free.')]
      : []),
    ...(!isConditional && typeof conditionalFreeAmount === 'number'
      ? [problem('conditionalFreeAmount', 'Only CONDITIONAL_FREE has such an amount.')]
      : []),
  ];
}

/** Problems of a fulfillment: a MANUAL product has no shipping, and each type has its own methods. */
export function fulfillmentProblems({
  type,
  methods = [],
  shipping,
}: {
  readonly type?: FulfillmentType | undefined;
  readonly methods?: readonly (FulfillmentMethod | undefined)[] | undefined;
  readonly shipping?: Fitting<ShippingRequest> | null | undefined;
}): FieldError[] {
  if (type === undefined) return [];
  return [
    ...methodProblems(type, methods),
    ...(type === 'MANUAL' && shipping
      ? [{ field: 'fulfillment.shipping', code: 'INVALID', message: 'Only SHIPPING products are shipped.' }]
      : []),
    ...(type === 'SHIPPING' && shipping ? shippingProblems(shipping) : []),
  ];
}

function methodProblems(type: FulfillmentType, methods: readonly (FulfillmentMethod | undefined)[]): FieldError[] {
  const known: readonly FulfillmentMethod[] = METHODS[type];
  return methods
    .filter((method) => method !== undefined && !known.includes(method))
    .map((method) => ({ field: 'fulfillment.methods', code: 'INVALID', message: `${type} products have no method ${method}.` }));
}

const NOT_SHIPPED = {
  deliveryType: 'FREE',
  deliveryFeeWon: 0,
  conditionalFreeWon: null,
  shippingAddressId: null,
  returnAddressId: null,
} as const;

/**
 * What a registration or a full replacement stores. The type defaults to SHIPPING, delivery to PAID, an omitted fee and omitted addresses
 * to the store's current ones; a null address stays null.
 */
export function wholeFulfillment(request: FulfillmentRequest, defaults: StoreDefaults): Fulfillment {
  const fulfillmentType = request.type ?? 'SHIPPING';
  const methods = request.methods ? [...new Set(request.methods)] : [METHODS[fulfillmentType][0]];
  if (fulfillmentType === 'MANUAL') return { fulfillmentType, methods, ...NOT_SHIPPED };
  const { deliveryType = 'PAID', deliveryFee, conditionalFreeAmount = null, shippingAddressId, returnAddressId } = request.shipping ?? {};
  return {
    fulfillmentType,
    methods,
    deliveryType,
    deliveryFeeWon: deliveryType === 'FREE' ? 0 : (deliveryFee ?? defaults.deliveryFeeWon),
    conditionalFreeWon: conditionalFreeAmount,
    shippingAddressId: shippingAddressId === undefined ? defaults.addressIds.SHIPPING : shippingAddressId,
    returnAddressId: returnAddressId === undefined ? defaults.addressIds.RETURN : returnAddressId,
  };
}

/**
 * Merges a partial change key by key. Another fulfillment type starts from the defaults. Where only the delivery type changes, fields that
 * it does not have are cleared: FREE has no fee, and only CONDITIONAL_FREE has an amount. VALIDATION_FAILED when the result is invalid.
 */
export function mergedFulfillment(current: Fulfillment, request: FulfillmentRequest, defaults: StoreDefaults): Fulfillment {
  const type = request.type ?? current.fulfillmentType;
  const problems = fulfillmentProblems({ ...request, type, shipping: type === 'MANUAL' ? request.shipping : undefined });
  if (problems.length > 0) throw new Fault('VALIDATION_FAILED', { fieldErrors: problems });
  if (type !== current.fulfillmentType || request.shipping === null) {
    const fresh = request.shipping ? shippingProblems(request.shipping) : [];
    if (fresh.length > 0) throw new Fault('VALIDATION_FAILED', { fieldErrors: fresh });
    return wholeFulfillment({ ...request, type }, defaults);
  }
  const methods = request.methods ? [...new Set(request.methods)] : current.methods;
  if (type === 'MANUAL') return { ...current, methods };
  return { ...current, methods, ...mergedShipping(current, request.shipping ?? {}, defaults) };
}

function mergedShipping(current: Fulfillment, patch: ShippingRequest, defaults: StoreDefaults) {
  const deliveryType = patch.deliveryType ?? current.deliveryType;
  const currentFeeWon = current.deliveryType === 'FREE' && deliveryType !== 'FREE' ? defaults.deliveryFeeWon : current.deliveryFeeWon;
  const deliveryFee = patch.deliveryFee ?? (deliveryType === 'FREE' ? 0 : currentFeeWon);
  const currentAmountWon = deliveryType === 'CONDITIONAL_FREE' ? current.conditionalFreeWon : null;
  const conditionalFreeAmount = patch.conditionalFreeAmount === undefined ? currentAmountWon : patch.conditionalFreeAmount;
  const problems = shippingProblems({ deliveryType, deliveryFee, conditionalFreeAmount });
  if (problems.length > 0) throw new Fault('VALIDATION_FAILED', { fieldErrors: problems });
  return {
    deliveryType,
    deliveryFeeWon: deliveryFee,
    conditionalFreeWon: conditionalFreeAmount,
    shippingAddressId: patch.shippingAddressId === undefined ? current.shippingAddressId : patch.shippingAddressId,
    returnAddressId: patch.returnAddressId === undefined ? current.returnAddressId : patch.returnAddressId,
  };
}

/** Overrides of the store's refund policy as a request sends them; null removes one. */
export type RefundPolicyRequest = { readonly [K in keyof ProductRefundPolicy]?: ProductRefundPolicy[K] | null };
const FEES = ['returnDeliveryFee', 'exchangeDeliveryFee'] as const;

/**
 * A product's refund overrides after a request. `current`: the overrides that a partial change merges into, null for a replacement. A
 * MANUAL product has no return or exchange fee: REFUND_POLICY_NOT_APPLICABLE when one is sent; one that is stored already is dropped.
 */
export function refundOverrides(
  type: FulfillmentType,
  request: RefundPolicyRequest | null | undefined,
  current: ProductRefundPolicy | null,
): ProductRefundPolicy | null {
  const isManual = type === 'MANUAL';
  if (isManual && FEES.some((fee) => typeof request?.[fee] === 'number')) throw new Fault('REFUND_POLICY_NOT_APPLICABLE');
  if (request === null) return null;
  const merged = Object.entries({ ...current, ...request }).filter(
    ([name, value]) => value !== null && value !== undefined && !(isManual && FEES.some((fee) => fee === name)),
  );
  return merged.length === 0 ? null : (Object.fromEntries(merged) as ProductRefundPolicy);
}
