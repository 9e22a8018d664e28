import { endpoint } from '../declare/endpoint.ts';
import { guestFields, verifyGuest } from '../orders/guestOrders.ts';
import { closed } from '../declare/schema.ts';
import { checkGuestItem, submitClaim, FILING_ERRORS, filingProblems } from './buyers.ts';
import { BuyerClaim, REASON_OF_TYPE, requestFields } from './schemas.ts';

export const createAsGuest = endpoint({
  id: 'claims.createAsGuest',
  route: 'POST /storefront/v1/guest/orders/{orderId}/items/{orderItemId}/claims',
  summary: 'Cancel, return or exchange an item of a guest order, whole or in part',
  access: 'storefront',
  change: 'here',
  idempotent: true,
  verifiesPassword: true,
  status: 201,
  body: closed({ ...guestFields, ...requestFields }, { title: 'GuestClaimRequest', 'x-document': REASON_OF_TYPE }),
  data: BuyerClaim,
  errors: ['ORDER_NOT_FOUND', ...FILING_ERRORS],
  check: filingProblems,
})
  .before(verifyGuest)
  .handle(async ({ tx, prepared: orderId, params, body, deps }) => {
    await checkGuestItem(tx, orderId, params.orderItemId);
    const { contact: _contact, orderPassword: _password, ...request } = body;
    return submitClaim(tx, params.orderItemId, request, deps);
  });
