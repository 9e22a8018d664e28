import { endpoint } from '../declare/endpoint.ts';
import { guestFields, verifyGuest } from '../orders/guestOrders.ts';
import { closed } from '../declare/schema.ts';
import { checkGuestItem, FILING_ERRORS, filingProblems, preview } from './buyers.ts';
import { ClaimPreview, REASON_OF_TYPE, requestFields } from './schemas.ts';

export const previewAsGuest = endpoint({
  id: 'claims.previewAsGuest',
  route: 'POST /storefront/v1/guest/orders/{orderId}/items/{orderItemId}/claims/preview',
  summary: 'What a claim of a guest order would give back, and whether it would be taken; nothing is saved',
  access: 'storefront',
  change: 'here',
  verifiesPassword: true,
  body: closed({ ...guestFields, ...requestFields }, { title: 'GuestClaimRequest', 'x-document': REASON_OF_TYPE }),
  data: ClaimPreview,
  errors: ['ORDER_NOT_FOUND', ...FILING_ERRORS],
  check: filingProblems,
})
  .before(verifyGuest)
  .handle(async ({ tx, prepared: orderId, params, body }) => {
    await checkGuestItem(tx, orderId, params.orderItemId);
    return preview(tx, params.orderItemId, body);
  });
