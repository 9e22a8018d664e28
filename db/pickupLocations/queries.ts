/** Where buyers fetch what they bought: at most 20 places of a store (docs/contract.md#pickup, D81). */
import type { Em } from '../kernel/tx.ts';
import { type PickupLocation, PickupLocationEntity } from './entities.ts';

/** Newest first; those in use only, where buyers look. */
export const listLocations = (em: Em, storeId: string, activeOnly: boolean): Promise<PickupLocation[]> =>
  em.find(
    PickupLocationEntity,
    { storeId, ...(activeOnly && { isActive: true }) },
    { orderBy: { createdAt: 'desc', pickupLocationId: 'desc' } },
  );
