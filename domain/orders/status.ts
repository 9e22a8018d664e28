/** The status of an order, derived from its items. */
import type { PublicStatus } from '../flows/status.ts';

const PROGRESS: Readonly<Record<PublicStatus, number>> = {
  PAID: 0,
  CONFIRMED: 1,
  DISPATCHED: 2,
  DELIVERED: 3,
  PURCHASE_DECIDED: 4,
  RETURNED: 4,
  EXCHANGED: 4,
  CANCELED: 9,
};

/** The least advanced status: [CONFIRMED, PAID, CANCELED] → PAID. */
const leastAdvanced = <S extends PublicStatus>(statuses: readonly S[]): S | null =>
  statuses.reduce<S | null>((least, s) => (least === null || PROGRESS[s] < PROGRESS[least] ? s : least), null);

/** `progressStatus` of an order: the least advanced among items that are not canceled; CANCELED when all are (D71). */
export const progressStatus = (items: readonly PublicStatus[]): PublicStatus =>
  leastAdvanced(items.filter((status) => status !== 'CANCELED')) ?? 'CANCELED';
