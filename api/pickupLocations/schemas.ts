import type { PickupLocation } from '../../db/pickupLocations/entities.ts';
import { closed, Id, Name, nullable, Type } from '../declare/schema.ts';

const common = { name: Name(100), address: Name(300), contact: Name(50) };
export const PickupLocationRequest = closed(
  {
    ...common,
    availableHours: Type.Optional(nullable(Type.String({ maxLength: 200 }))),
    isActive: Type.Optional(Type.Boolean()),
  },
  { title: 'PickupLocationRequest' },
);
export const PickupLocationView = closed(
  { ...common, pickupLocationId: Id, availableHours: nullable(Type.String()), isActive: Type.Boolean() },
  { title: 'PickupLocation' },
);
export const viewLocation = (row: PickupLocation) => ({
  pickupLocationId: row.pickupLocationId,
  name: row.name,
  address: row.address,
  contact: row.contact,
  availableHours: row.availableHours ?? null,
  isActive: row.isActive,
});
