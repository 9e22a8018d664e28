import { readClaim } from '../../db/claims/queries.ts';
import { viewClaims } from '../../db/claims/views.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Claim } from './schemas.ts';

export const get = endpoint({
  id: 'claims.get',
  route: 'GET /v1/claims/{claimId}',
  summary: 'Read a claim, with what its approval would give back now and its history',
  access: 'store',
  scopes: ['claim:r'],
  change: 'none',
  data: Claim,
  errors: ['CLAIM_NOT_FOUND'],
}).handle(async ({ tx, params }) => (await viewClaims(tx, [await readClaim(tx, params.claimId)]))[0]!);
