import { replacePolicy as change } from '../../db/points/policy.ts';
import { endpoint } from '../declare/endpoint.ts';
import { PointPolicy, PointPolicyChange } from './schemas.ts';
import { POLICY } from './subject.ts';

export const replacePolicy = endpoint({
  id: 'points.replacePolicy',
  route: 'PUT /v1/store/point-policy',
  summary: 'Change the parts of the point policy that are sent',
  access: 'store',
  scopes: ['promotion:rw'],
  agent: 'approval',
  directUntilLive: true,
  target: POLICY,
  change: 'here',
  body: PointPolicyChange,
  data: PointPolicy,
  errors: ['POINT_EXPIRY_REQUIRED', 'POINTS_UNAVAILABLE'],
}).handle(async ({ tx, body }) => change(tx, body));
