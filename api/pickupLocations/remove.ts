import { deleteLocation } from '../../db/pickupLocations/commands.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Type } from '../declare/schema.ts';
import { PICKUP_LOCATION } from './subject.ts';

export const remove = endpoint({
  id: 'pickupLocations.remove',
  route: 'DELETE /v1/pickup-locations/{pickupLocationId}',
  summary: 'Delete a pickup location',
  access: 'store',
  console: ['OWNER', 'ADMIN'],
  scopes: ['store:rw'],
  agent: 'denied',
  target: PICKUP_LOCATION,
  change: 'here',
  data: Type.Null(),
  errors: ['PICKUP_LOCATION_NOT_FOUND'],
}).handle(async ({ tx, params }) => {
  await deleteLocation(tx, params.pickupLocationId);
  return null;
});
