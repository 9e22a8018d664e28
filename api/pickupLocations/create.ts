import { addLocation } from '../../db/pickupLocations/commands.ts';
import { endpoint } from '../declare/endpoint.ts';
import { PickupLocationRequest, PickupLocationView, viewLocation } from './schemas.ts';
import { PICKUP_LOCATION } from './subject.ts';

export const create = endpoint({
  id: 'pickupLocations.create',
  route: 'POST /v1/pickup-locations',
  summary: 'Add a place where buyers fetch their orders; at most 20',
  access: 'store',
  console: ['OWNER', 'ADMIN'],
  scopes: ['store:rw'],
  agent: 'denied',
  target: PICKUP_LOCATION,
  change: 'here',
  idempotent: true,
  body: PickupLocationRequest,
  status: 201,
  data: PickupLocationView,
  errors: ['PICKUP_LOCATION_LIMIT_EXCEEDED'],
}).handle(async ({ tx, body }) => viewLocation(await addLocation(tx, body)));
