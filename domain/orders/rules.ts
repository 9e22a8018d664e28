/** What a seller may do with an order item, and what that records. */
import { Fault, type FieldError } from '../kernel/errors.ts';
import { type Buyer, type FrozenLocation, isShipped } from '../checkout/rules.ts';
import type { FulfillmentMethod, FulfillmentType } from '../products/rules.ts';
import type { Graph } from '../flows/graph.ts';
import { permits } from '../flows/rules.ts';
import type { FlowState, Refusal } from '../flows/state.ts';
import type { PublicStatus } from '../flows/status.ts';

export const DELIVERY_METHODS = ['COURIER', 'DIRECT', 'QUICK', 'NONE'] as const;
export type DeliveryMethod = (typeof DELIVERY_METHODS)[number];

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
  /** Where it is fetched, as it was at order time. */
  readonly pickupLocation: FrozenLocation | null;
}

/** Why an item is late, and the Korean day on which it is meant to be sent. */
export interface Hold {
  readonly reason: string;
  readonly expectedDispatchDate: string;
  readonly heldAt: number;
}

/** The record of a provision; REVOKED once the item is canceled altogether (D73). */
export interface Fulfillment {
  readonly status: 'PROVIDED' | 'REVOKED';
  readonly note: string | null;
  readonly fulfilledAt: number;
}

/** What travels is dispatched, what is fetched or provided is fulfilled: SHIPPING_REQUIRED and NOT_SHIPPABLE (docs/contract.md#handling). */
export function checkHandover({ method }: Pick<FulfillmentSnapshot, 'method'>, command: string): void {
  const travels = isShipped({ fulfillmentMethod: method });
  if (travels && command === 'fulfill') throw new Fault('SHIPPING_REQUIRED');
  if (!travels && (command === 'dispatch' || command === 'delivered' || command === 'correctTracking')) throw new Fault('NOT_SHIPPABLE');
}

export interface Cancelable {
  readonly graph: Graph;
  readonly state: FlowState;
  readonly activeQuantity: number;
}
/** How many a seller's cancel takes: all that remain unless it says otherwise. ALREADY_CANCELED, CLAIM_IN_PROGRESS, INVALID_STATUS, INVALID_QUANTITY. */
export function cancelQuantity({ graph, state, activeQuantity }: Cancelable, wanted: number | null): number {
  if (activeQuantity === 0) throw new Fault('ALREADY_CANCELED');
  if (state.claims.length > 0) throw new Fault('CLAIM_IN_PROGRESS');
  if (!permits(graph, state, 'sellerForcedCancel')) throw new Fault('INVALID_STATUS', { details: { reason: 'NOT_IN_STATE' } });
  const quantity = wanted ?? activeQuantity;
  if (quantity > activeQuantity) throw new Fault('INVALID_QUANTITY', { details: { activeQuantity } });
  return quantity;
}

/** A hold is for what has not been handed over yet; a corrected number for what a carrier has and nobody has decided on (D72). */
export function checkRecord(command: 'hold' | 'correctTracking', status: PublicStatus, dispatch: Dispatch | null): void {
  const isAllowed =
    command === 'hold'
      ? status === 'PAID' || status === 'CONFIRMED'
      : (status === 'DISPATCHED' || status === 'DELIVERED') && dispatch !== null && isCarried(dispatch.deliveryMethod);
  if (!isAllowed) throw new Fault('INVALID_STATUS', { details: { reason: 'NOT_IN_STATE' } });
}
export const isCarried = (method: unknown) => method === 'COURIER' || method === 'QUICK';

/** COURIER and QUICK need a carrier and a tracking number. Every problem at once. */
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

/** Whether a contact is the phone or the e-mail of an order (D51): digits, or letters of any case. */
export function isContactOf({ phone, email }: Pick<Buyer, 'phone' | 'email'>, contact: string): boolean {
  const digits = (text: string) => text.replaceAll(/[^0-9]/g, '');
  const wanted = contact.trim();
  if (wanted.includes('@')) return wanted.toLowerCase() === email.toLowerCase();
  return /^[0-9 -]+$/.test(wanted) && digits(wanted) !== '' && digits(wanted) === digits(phone);
}

/** How a refusal of the flow is told at the order-item endpoints. */
export const refused = ({ reason }: Refusal): Fault =>
  reason === 'CLAIM_IN_PROGRESS' ? new Fault('CLAIM_IN_PROGRESS') : new Fault('INVALID_STATUS', { details: { reason } });
