/** Order items: dispatch, fulfillment, holds, and what of an item a seller may cancel. */
import { Fault, type FieldError } from '../kernel/errors.ts';
import { type Buyer, type FrozenLocation, isShipped } from '../checkout/rules.ts';
import type { FulfillmentMethod, FulfillmentType } from '../products/rules.ts';
import type { Flow } from '../flows/run/flow.ts';
import { allowance } from '../flows/run/permissions.ts';
import type { Facts, FlowState, Refusal } from '../flows/run/state.ts';
import type { PublicStatus } from '../flows/graph/status.ts';

export const DELIVERY_METHODS = ['COURIER', 'DIRECT', 'QUICK', 'NONE'] as const;
export type DeliveryMethod = (typeof DELIVERY_METHODS)[number];

/** Why a seller cancels. */
export const CANCEL_REASONS = ['OUT_OF_STOCK', 'PRICE_ERROR', 'UNDELIVERABLE', 'OTHER'] as const;

/** Our courier codes; providers' codes are mapped in their adapters. */
export const CARRIERS = {
  CJ: 'CJ대한통운',
  EPOST: '우체국택배',
  HANJIN: '한진택배',
  LOTTE: '롯데택배',
  LOGEN: '로젠택배',
  KYUNGDONG: '경동택배',
  DAESIN: '대신택배',
  ILYANG: '일양로지스',
  CHUNIL: '천일택배',
} as const;

export interface Dispatch {
  readonly deliveryMethod: DeliveryMethod;
  readonly carrierCode: string | null;
  readonly trackingNumber: string | null;
  readonly dispatchedAt: number;
  readonly deliveredAt: number | null;
}
export interface FulfillmentSnapshot {
  readonly type: FulfillmentType;
  readonly method: FulfillmentMethod;
  /** The pickup location, copied at order time. */
  readonly pickupLocation: FrozenLocation | null;
}

/** A delay that the seller announces: the reason, and the Korean day of the expected dispatch. */
export interface Hold {
  readonly reason: string;
  readonly expectedDispatchDate: string;
  readonly heldAt: number;
}

/** The record of a fulfillment (provided or picked up); REVOKED once all units are canceled. */
export interface Fulfillment {
  readonly status: 'PROVIDED' | 'REVOKED';
  readonly note: string | null;
  readonly fulfilledAt: number;
}

/**
 * Shipped items are dispatched, others are fulfilled: SHIPPING_REQUIRED for `fulfill` of a shipped item, NOT_SHIPPABLE for commands of
 * shipping on another (docs/contract.md#handling).
 */
export function checkHandover({ method }: Pick<FulfillmentSnapshot, 'method'>, command: string): void {
  const travels = isShipped({ fulfillmentMethod: method });
  if (travels && command === 'fulfill') throw new Fault('SHIPPING_REQUIRED');
  if (!travels && (command === 'dispatch' || command === 'delivered' || command === 'correctTracking')) throw new Fault('NOT_SHIPPABLE');
}

export interface Cancelable {
  readonly flow: Flow;
  readonly state: FlowState;
  readonly member: string;
  readonly activeQuantity: number;
}
interface SellerCancel {
  readonly wanted: number | null;
  readonly isHeld: boolean;
  readonly reason: string;
}
/** When a command is judged, and what its flow reads then. */
export interface Moment {
  readonly at: number;
  readonly facts: Facts;
}
/**
 * The units that a seller's cancel takes: `wanted`, or all that remain. Throws ALREADY_CANCELED, CLAIM_IN_PROGRESS, INVALID_STATUS,
 * PERIOD_EXPIRED, INVALID_QUANTITY.
 */
export function cancelQuantity(
  { flow, state, member, activeQuantity }: Cancelable,
  { wanted, isHeld, reason }: SellerCancel,
  { at, facts }: Moment,
): number {
  if (activeQuantity === 0) throw new Fault('ALREADY_CANCELED');
  // In a group whose other items go on or rest, an item without a claim may be canceled (F32).
  if (state.claims.some((claim) => claim.member === member)) throw new Fault('CLAIM_IN_PROGRESS');
  const quantity = wanted ?? activeQuantity;
  const claim = { quantity: Math.min(quantity, activeQuantity), reason, refundableWon: facts.refundableWon?.[member] ?? 0 };
  const needed = isHeld ? (['sellerForcedCancel', 'sellerCancelHoldRefund'] as const) : (['sellerForcedCancel'] as const);
  const refusals = new Set(needed.map((key) => allowance(flow, state, key, { at, facts, member, claim, withoutFee: true }).reason));
  if (refusals.has('NOT_IN_STATE')) throw new Fault('INVALID_STATUS', { details: { reason: 'NOT_IN_STATE' } });
  if (refusals.has('PERIOD_EXPIRED')) throw new Fault('PERIOD_EXPIRED');
  if (quantity > activeQuantity) throw new Fault('INVALID_QUANTITY', { details: { activeQuantity } });
  return quantity;
}

/** A hold requires PAID or CONFIRMED; a tracking correction requires DISPATCHED or DELIVERED by a carrier. INVALID_STATUS. */
export function checkRecord(command: 'hold' | 'correctTracking', status: PublicStatus, dispatch: Dispatch | null): void {
  const isAllowed =
    command === 'hold'
      ? status === 'PAID' || status === 'CONFIRMED'
      : (status === 'DISPATCHED' || status === 'DELIVERED') && dispatch !== null && isCarried(dispatch.deliveryMethod);
  if (!isAllowed) throw new Fault('INVALID_STATUS', { details: { reason: 'NOT_IN_STATE' } });
}
export const isCarried = (method: unknown) => method === 'COURIER' || method === 'QUICK';

/** COURIER and QUICK require a carrier and a tracking number. Returns every problem. */
export function dispatchProblems(request: {
  readonly deliveryMethod?: unknown;
  readonly carrierCode?: unknown;
  readonly trackingNumber?: unknown;
}): FieldError[] {
  const { deliveryMethod } = request;
  const needed = isCarried(deliveryMethod) ? (['carrierCode', 'trackingNumber'] as const) : [];
  const missing = needed.filter((field) => !(field in request));
  return missing.map((field): FieldError => ({ field, code: 'REQUIRED', message: `${String(deliveryMethod)} needs it.` }));
}

/** Whether a contact is the phone or the e-mail of an order (D51): phones are compared by their digits, e-mails without case. */
export function isContactOf({ phone, email }: Pick<Buyer, 'phone' | 'email'>, contact: string): boolean {
  const digits = (text: string) => text.replaceAll(/[^0-9]/g, '');
  const wanted = contact.trim();
  if (wanted.includes('@')) return wanted.toLowerCase() === email.toLowerCase();
  return /^[0-9 -]+$/.test(wanted) && digits(wanted) !== '' && digits(wanted) === digits(phone);
}

/** A refusal of the flow as a Fault of the order-item endpoints. */
export const refused = ({ reason }: Refusal): Fault =>
  reason === 'CLAIM_IN_PROGRESS' ? new Fault('CLAIM_IN_PROGRESS') : new Fault('INVALID_STATUS', { details: { reason } });
