import { changeConsent as change } from '../../db/customers/consents.ts';
import { lockCustomer } from '../../db/customers/locks.ts';
import { CurrentConsents, viewState } from '../consents/schemas.ts';
import { endpoint } from '../declare/endpoint.ts';
import { MarketingRequest } from './schemas.ts';
import { CUSTOMER } from './subject.ts';

export const changeConsent = endpoint({
  id: 'customers.changeConsent',
  route: 'POST /v1/customers/{customerId}/consents',
  summary: 'Record that a member agrees to marketing, or does not any more',
  access: 'store',
  scopes: ['customer:rw'],
  agent: 'direct',
  target: CUSTOMER,
  change: 'here',
  idempotent: true,
  body: MarketingRequest,
  data: CurrentConsents,
  errors: ['CUSTOMER_NOT_FOUND'],
}).handle(async ({ tx, params: { customerId }, body }) => {
  await lockCustomer(tx, customerId, 'NO KEY UPDATE');
  return { current: (await change(tx, customerId, body, 'SELLER_ACTION')).map(viewState) };
});
