/** Pickup locations: at most 20 per store (docs/contract.md#pickup). */
import type { Tx } from '../kernel/tx.ts';
import { type PickupLocation, PickupLocationEntity } from './entities.ts';

/** Newest first; `activeOnly` for buyers. */
export const listLocations = ({ em, storeId }: Tx, activeOnly: boolean): Promise<PickupLocation[]> =>
  em.find(
    PickupLocationEntity,
    { storeId, ...(activeOnly && { isActive: true }) },
    { orderBy: { createdAt: 'desc', pickupLocationId: 'desc' } },
  );
