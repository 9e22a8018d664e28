import { endpoint } from '../declare/endpoint.ts';
import { closed } from '../declare/schema.ts';
import { withdrawClaim } from './buyers.ts';
import { BuyerClaim } from './schemas.ts';
import { CLAIM_ERRORS } from './sendCommand.ts';

export const withdraw = endpoint({
  id: 'claims.withdraw',
  route: 'POST /storefront/v1/me/claims/{claimId}/withdraw',
  summary: 'Withdraw a claim of mine, before the seller has begun with it',
  access: 'customer',
  change: 'workflow',
  idempotent: true,
  body: closed({}),
  data: BuyerClaim,
  errors: CLAIM_ERRORS,
}).handle((call) => withdrawClaim(call, ({ customerId }) => customerId === call.customer!.customerId));
