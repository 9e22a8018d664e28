import { readPolicy } from '../../db/points/policy.ts';
import { endpoint } from '../declare/endpoint.ts';
import { PointPolicy } from './schemas.ts';

export const getPolicy = endpoint({
  id: 'points.getPolicy',
  route: 'GET /v1/store/point-policy',
  summary: 'Read what the shop gives points for, and how they may be used',
  access: 'store',
  scopes: ['promotion:r'],
  change: 'none',
  data: PointPolicy,
}).handle(async ({ tx }) => readPolicy(tx));
