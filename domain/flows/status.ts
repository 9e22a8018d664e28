/** Public statuses of order items (D11). */
export const PUBLIC_STATUSES = [
  'PAID',
  'CONFIRMED',
  'DISPATCHED',
  'DELIVERED',
  'PURCHASE_DECIDED',
  'CANCELED',
  'RETURNED',
  'EXCHANGED',
] as const;
export type PublicStatus = (typeof PUBLIC_STATUSES)[number];
