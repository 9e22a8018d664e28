/** Pickup locations: at most 20 per store (docs/contract.md#pickup). */
import { Fault } from '../../domain/kernel/errors.ts';
import { newId } from '../kernel/clock.ts';
import { lockName, type Tx } from '../kernel/tx.ts';
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
const lockLocations = (tx: Tx) => lockName(tx, `pickup/${tx.storeId}`);
const withDefaults = ({ availableHours = null, isActive = true, ...rest }: WantedLocation) => ({ ...rest, availableHours, isActive });

export async function addLocation(tx: Tx, wanted: WantedLocation): Promise<PickupLocation> {
  const { em, storeId, at } = tx;
  await lockLocations(tx);
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

async function lockLocation(tx: Tx, pickupLocationId: string): Promise<PickupLocation> {
  const { em, storeId } = tx;
  await lockLocations(tx);
  const location = await em.findOne(PickupLocationEntity, { storeId, pickupLocationId });
  if (!location) throw new Fault('PICKUP_LOCATION_NOT_FOUND');
  return location;
}

export const replaceLocation = async (tx: Tx, id: string, wanted: WantedLocation): Promise<PickupLocation> =>
  Object.assign(await lockLocation(tx, id), withDefaults(wanted));

/** Deletes a location. Orders keep their copy; an open checkout with it becomes CHECKOUT_STALE at payment start. */
export async function deleteLocation(tx: Tx, pickupLocationId: string): Promise<void> {
  const { em } = tx;
  em.remove(await lockLocation(tx, pickupLocationId));
}
