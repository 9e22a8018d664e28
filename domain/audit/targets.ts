/** What a change is about. */
export const TARGET_TYPES = [
  'ADDRESS',
  'API_CLIENT',
  'API_TOKEN',
  'APPROVAL',
  'CATEGORY',
  'CLAIM',
  'COMMERCE_FLOW',
  'CUSTOMER',
  'FLOW_SECRET',
  'INQUIRY',
  'INVITATION',
  'MEMBER',
  'ORDER',
  'ORDER_ITEM',
  'PAYMENT_PROVIDER',
  'PAYMENT_SETTINGS',
  'PICKUP_LOCATION',
  'PRODUCT',
  'REFUND',
  'STORE',
  'UPLOAD',
  'WEBHOOK',
] as const;
export type TargetType = (typeof TARGET_TYPES)[number];

/** `id`: null for a bulk, and for a creation that has not happened. */
export interface Target {
  readonly type: TargetType;
  readonly id: string | null;
}
