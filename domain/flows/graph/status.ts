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

/** How far along each is. */
export const PROGRESS: Readonly<Record<PublicStatus, number>> = {
  PAID: 0,
  CONFIRMED: 1,
  DISPATCHED: 2,
  DELIVERED: 3,
  PURCHASE_DECIDED: 4,
  RETURNED: 4,
  EXCHANGED: 4,
  CANCELED: 9,
};
export const isBefore = (a: PublicStatus, b: PublicStatus): boolean => PROGRESS[a] < PROGRESS[b];

/** The least advanced status: [CONFIRMED, PAID, CANCELED] → PAID. */
export const leastAdvanced = <S extends PublicStatus>(statuses: readonly S[]): S | null =>
  statuses.reduce<S | null>((min, s) => (min === null || PROGRESS[s] < PROGRESS[min] ? s : min), null);

const FINAL: ReadonlySet<PublicStatus> = new Set(['PURCHASE_DECIDED', 'CANCELED', 'RETURNED', 'EXCHANGED']);
/** Nothing more happens to the item. */
export const isFinal = (status: PublicStatus): boolean => FINAL.has(status);
