import { replaceLocation } from '../../db/pickupLocations/commands.ts';
import { endpoint } from '../declare/endpoint.ts';
import { PickupLocationRequest, PickupLocationView, viewLocation } from './schemas.ts';
import { PICKUP_LOCATION } from './subject.ts';

export const replace = endpoint({
  id: 'pickupLocations.replace',
  route: 'PUT /v1/pickup-locations/{pickupLocationId}',
  summary: 'Replace a pickup location; orders keep what they were placed with',
  access: 'store',
  console: ['OWNER', 'ADMIN'],
  scopes: ['store:rw'],
  agent: 'denied',
  target: PICKUP_LOCATION,
  change: 'here',
  body: PickupLocationRequest,
  data: PickupLocationView,
  errors: ['PICKUP_LOCATION_NOT_FOUND'],
}).handle(async ({ tx, params, body }) => viewLocation(await replaceLocation(tx, params.pickupLocationId, body)));
