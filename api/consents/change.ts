import { changeOwnConsent } from '../../db/customers/consents.ts';
import { endpoint } from '../declare/endpoint.ts';
import { ConsentRequest, CurrentConsents, viewState } from './schemas.ts';

export const change = endpoint({
  id: 'consents.change',
  route: 'POST /storefront/v1/me/consents',
  summary: 'Agree to something, or take my consent to marketing back',
  access: 'customer',
  customerLock: 'NO KEY UPDATE',
  change: 'here',
  idempotent: true,
  body: ConsentRequest,
  data: CurrentConsents,
  errors: ['CONSENT_REQUIRED'],
}).handle(async ({ tx, customer, body }) => ({ current: (await changeOwnConsent(tx, customer!.customerId, body)).map(viewState) }));
