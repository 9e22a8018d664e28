import { endpoint } from '../declare/endpoint.ts';
import { closed } from '../declare/schema.ts';
import { checkOwner, FILING_ERRORS, filingProblems, preview as previewClaim } from './buyers.ts';
import { ClaimPreview, REASON_OF_TYPE, requestFields } from './schemas.ts';

export const preview = endpoint({
  id: 'claims.preview',
  route: 'POST /storefront/v1/me/order-items/{orderItemId}/claims/preview',
  summary: 'What a claim would give back, and whether it would be taken; nothing is saved',
  access: 'customer',
  change: 'here',
  body: closed(requestFields, { title: 'ClaimRequest', 'x-document': REASON_OF_TYPE }),
  data: ClaimPreview,
  errors: FILING_ERRORS,
  check: filingProblems,
}).handle(async ({ tx, customer, params, body }) => {
  await checkOwner(tx, params.orderItemId, customer!.customerId);
  return previewClaim(tx, params.orderItemId, body);
});
