import { listLocations } from '../../db/pickupLocations/queries.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, Type } from '../declare/schema.ts';
import { PickupLocationView, viewLocation } from './schemas.ts';

export const list = endpoint({
  id: 'pickupLocations.list',
  route: 'GET /v1/pickup-locations',
  summary: 'List the pickup locations, newest first',
  access: 'store',
  scopes: ['store:r'],
  change: 'none',
  data: closed({ items: Type.Array(PickupLocationView) }),
}).handle(async ({ tx }) => ({ items: (await listLocations(tx, false)).map(viewLocation) }));
