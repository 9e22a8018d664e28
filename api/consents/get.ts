import { currentConsents } from '../../db/customers/consents.ts';
import { endpoint } from '../declare/endpoint.ts';
import { CurrentConsents, viewState } from './schemas.ts';

export const get = endpoint({
  id: 'consents.get',
  route: 'GET /storefront/v1/me/consents',
  summary: 'Read what I have agreed to',
  access: 'customer',
  change: 'none',
  data: CurrentConsents,
}).handle(async ({ tx, customer }) => ({ current: (await currentConsents(tx, customer!.customerId)).map(viewState) }));
