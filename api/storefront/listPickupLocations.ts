import { listLocations } from '../../db/pickupLocations/queries.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, Id, nullable, Type } from '../declare/schema.ts';

const Shown = closed(
  { pickupLocationId: Id, name: Type.String(), address: Type.String(), contact: Type.String(), availableHours: nullable(Type.String()) },
  { title: 'StorefrontPickupLocation' },
);

export const listPickupLocations = endpoint({
  id: 'storefront.listPickupLocations',
  route: 'GET /storefront/v1/pickup-locations',
  summary: 'List the places where orders can be fetched',
  access: 'storefront',
  isPublic: true,
  change: 'none',
  data: closed({ items: Type.Array(Shown) }),
}).handle(async ({ tx }) => {
  const locations = await listLocations(tx, true);
  return {
    items: locations.map(({ pickupLocationId, name, address, contact, availableHours = null }) => ({
      pickupLocationId,
      name,
      address,
      contact,
      availableHours,
    })),
  };
});
