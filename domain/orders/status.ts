/** The status of an order, derived from its items. */
import { leastAdvanced, type PublicStatus } from '../flows/graph/status.ts';

/** `progressStatus` of an order: the least advanced among items that are not canceled; CANCELED when all are. */
export const progressStatus = (items: readonly PublicStatus[]): PublicStatus =>
  leastAdvanced(items.filter((status) => status !== 'CANCELED')) ?? 'CANCELED';
