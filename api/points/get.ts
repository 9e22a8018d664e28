import { readPoints } from '../../db/points/queries.ts';
import { endpoint } from '../declare/endpoint.ts';
import { CustomerPoints, viewPoints } from './schemas.ts';

export const get = endpoint({
  id: 'points.get',
  route: 'GET /v1/customers/{customerId}/points',
  summary: 'Read a customer’s points, lot by lot in the order in which they are spent',
  access: 'store',
  scopes: ['customer:r'],
  change: 'none',
  data: CustomerPoints,
  errors: ['CUSTOMER_NOT_FOUND'],
}).handle(async ({ tx, params: { customerId } }) => ({ customerId, ...viewPoints(await readPoints(tx, customerId)) }));
