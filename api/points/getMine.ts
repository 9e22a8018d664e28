import { readPoints } from '../../db/points/queries.ts';
import { endpoint } from '../declare/endpoint.ts';
import { MyPoints, viewPoints } from './schemas.ts';

export const getMine = endpoint({
  id: 'points.getMine',
  route: 'GET /storefront/v1/me/points',
  summary: 'Read my points, lot by lot in the order in which they are spent',
  access: 'customer',
  change: 'none',
  data: MyPoints,
}).handle(async ({ tx, customer }) => viewPoints(await readPoints(tx, customer!.customerId)));
