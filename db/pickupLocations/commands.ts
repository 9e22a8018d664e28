/** Pickup locations: at most 20 per store (docs/contract.md#pickup, D81). */
import { Fault } from '../../domain/kernel/errors.ts';
import { newId } from '../kernel/clock.ts';
import { type Em, lockName } from '../kernel/tx.ts';
import { type PickupLocation, PickupLocationEntity } from './entities.ts';

const MAX_LOCATIONS = 20;

export interface WantedLocation {
  readonly name: string;
  readonly address: string;
  readonly contact: string;
  readonly availableHours?: string | null;
  readonly isActive?: boolean;
}
/** Serializes changes of a store's locations: at most 20, and no lost updates. */
const lockLocations = (em: Em, storeId: string) => lockName(em, `pickup/${storeId}`);
const withDefaults = ({ availableHours = null, isActive = true, ...rest }: WantedLocation) => ({ ...rest, availableHours, isActive });

export async function addLocation(em: Em, storeId: string, wanted: WantedLocation, at: number): Promise<PickupLocation> {
  await lockLocations(em, storeId);
  if ((await em.count(PickupLocationEntity, { storeId })) >= MAX_LOCATIONS) throw new Fault('PICKUP_LOCATION_LIMIT_EXCEEDED');
  const location = em.create(PickupLocationEntity, {
    ...withDefaults(wanted),
    storeId,
    pickupLocationId: newId('pul', at),
    createdAt: new Date(at),
  });
  em.persist(location);
  return location;
}

async function lockLocation(em: Em, storeId: string, pickupLocationId: string): Promise<PickupLocation> {
  await lockLocations(em, storeId);
  const location = await em.findOne(PickupLocationEntity, { storeId, pickupLocationId });
  if (!location) throw new Fault('PICKUP_LOCATION_NOT_FOUND');
  return location;
}

export const replaceLocation = async (em: Em, storeId: string, id: string, wanted: WantedLocation): Promise<PickupLocation> =>
  Object.assign(await lockLocation(em, storeId, id), withDefaults(wanted));

/** Deletes a location. Orders keep their copy; an open checkout with it becomes CHECKOUT_STALE at payment start. */
export async function deleteLocation(em: Em, storeId: string, pickupLocationId: string): Promise<void> {
  em.remove(await lockLocation(em, storeId, pickupLocationId));
}
