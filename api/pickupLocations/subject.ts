import { listLocations } from '../../db/pickupLocations/queries.ts';
import type { Subject } from '../declare/subject.ts';
import { PickupLocationView, viewLocation } from './schemas.ts';

export const PICKUP_LOCATION: Subject = {
  type: 'PICKUP_LOCATION',
  idField: 'pickupLocationId',
  listing: { given: ['pickupLocationId'] },
  data: PickupLocationView,
  read: async (tx, id) => {
    const found = (await listLocations(tx, false)).find(({ pickupLocationId }) => pickupLocationId === id);
    return found ? viewLocation(found) : null;
  },
};
