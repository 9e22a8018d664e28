import { readClaim } from '../../db/claims/queries.ts';
import { viewClaims, withoutSellersOwn } from '../../db/claims/views.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { endpoint } from '../declare/endpoint.ts';
import { guestFields, verifyGuest } from '../orders/guestOrders.ts';
import { closed } from '../declare/schema.ts';
import { BuyerClaim } from './schemas.ts';

export const lookUp = endpoint({
  id: 'claims.lookUp',
  route: 'POST /storefront/v1/guest/orders/{orderId}/claims/{claimId}',
  summary: 'Read a claim of a guest order, with its history',
  access: 'storefront',
  change: 'here',
  verifiesPassword: true,
  body: closed(guestFields, { title: 'GuestOrderRequest' }),
  data: BuyerClaim,
  errors: ['ORDER_NOT_FOUND', 'CLAIM_NOT_FOUND'],
})
  .before(verifyGuest)
  .handle(async ({ tx, prepared: orderId, params }) => {
    const claim = await readClaim(tx, params.claimId);
    if (claim.orderId !== orderId) throw new Fault('CLAIM_NOT_FOUND');
    return withoutSellersOwn((await viewClaims(tx, [claim]))[0]!);
  });
