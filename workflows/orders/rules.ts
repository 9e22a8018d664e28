/** What a seller may do with an order item, and what that records. */
import { Fault, type FieldError } from '../kernel/errors.ts';
import type { Refusal } from '../flows/state.ts';

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
  readonly type: 'SHIPPING';
  readonly method: 'CARRIER' | 'DIRECT';
  readonly pickupLocation: null;
}

/** COURIER and QUICK need a carrier and a tracking number; a carrier must be one of ours. Every problem at once. */
export function dispatchProblems(request: {
  readonly deliveryMethod?: unknown;
  readonly carrierCode?: unknown;
  readonly trackingNumber?: unknown;
}): FieldError[] {
  const { deliveryMethod, carrierCode } = request;
  const needed = deliveryMethod === 'COURIER' || deliveryMethod === 'QUICK' ? (['carrierCode', 'trackingNumber'] as const) : [];
  const missing = needed.filter((field) => request[field] === undefined);
  const problems = missing.map((field): FieldError => ({ field, code: 'REQUIRED', message: `${String(deliveryMethod)} needs it.` }));
  if (typeof carrierCode === 'string' && !Object.hasOwn(CARRIERS, carrierCode))
    problems.push({ field: 'carrierCode', code: 'INVALID', message: 'There is no such carrier: see GET /v1/carriers.' });
  return problems;
}

/** How a refusal of the flow is told at the order-item endpoints. */
export const refused = (refusal: Refusal): Fault => new Fault('INVALID_STATUS', { details: { reason: refusal.reason } });
