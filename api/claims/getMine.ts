import { readClaim } from '../../db/claims/queries.ts';
import { viewClaims, withoutSellersOwn } from '../../db/claims/views.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { endpoint } from '../declare/endpoint.ts';
import { BuyerClaim } from './schemas.ts';

export const getMine = endpoint({
  id: 'claims.getMine',
  route: 'GET /storefront/v1/me/claims/{claimId}',
  summary: 'Read a claim of mine, with its history',
  access: 'customer',
  change: 'none',
  data: BuyerClaim,
  errors: ['CLAIM_NOT_FOUND'],
}).handle(async ({ tx, customer, params }) => {
  const claim = await readClaim(tx, params.claimId);
  if (claim.customerId !== customer!.customerId) throw new Fault('CLAIM_NOT_FOUND');
  return withoutSellersOwn((await viewClaims(tx, [claim]))[0]!);
});
