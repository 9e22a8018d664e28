import { endpoint } from '../declare/endpoint.ts';
import { guestFields, verifyGuest } from '../orders/guestOrders.ts';
import { closed } from '../declare/schema.ts';
import { withdrawClaim } from './buyers.ts';
import { BuyerClaim } from './schemas.ts';
import { CLAIM_ERRORS } from './sendCommand.ts';

export const withdrawAsGuest = endpoint({
  id: 'claims.withdrawAsGuest',
  route: 'POST /storefront/v1/guest/orders/{orderId}/claims/{claimId}/withdraw',
  summary: 'Withdraw a claim of a guest order, before the seller has begun with it',
  access: 'storefront',
  change: 'workflow',
  idempotent: true,
  verifiesPassword: true,
  body: closed(guestFields, { title: 'GuestOrderRequest' }),
  data: BuyerClaim,
  errors: ['ORDER_NOT_FOUND', ...CLAIM_ERRORS],
})
  .before(verifyGuest)
  .handle((call) => withdrawClaim(call, (claim) => claim.orderId === call.prepared));
