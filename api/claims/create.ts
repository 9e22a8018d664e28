import { endpoint } from '../declare/endpoint.ts';
import { closed } from '../declare/schema.ts';
import { checkOwner, submitClaim, FILING_ERRORS, filingProblems } from './buyers.ts';
import { BuyerClaim, REASON_OF_TYPE, requestFields } from './schemas.ts';

export const create = endpoint({
  id: 'claims.create',
  route: 'POST /storefront/v1/me/order-items/{orderItemId}/claims',
  summary: 'Cancel, return or exchange an item of mine, whole or in part',
  access: 'customer',
  change: 'here',
  idempotent: true,
  status: 201,
  body: closed(requestFields, { title: 'ClaimRequest', 'x-document': REASON_OF_TYPE }),
  data: BuyerClaim,
  errors: FILING_ERRORS,
  check: filingProblems,
}).handle(async ({ tx, customer, params, body, deps }) => {
  await checkOwner(tx, params.orderItemId, customer!.customerId);
  return submitClaim(tx, params.orderItemId, body, deps);
});
