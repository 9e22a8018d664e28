import { listBuyerAddresses } from '../../db/customers/addressBook.ts';
import { currentConsents } from '../../db/customers/consents.ts';
import { readCustomer } from '../../db/customers/list.ts';
import { viewBuyerAddress } from '../addressBook/schemas.ts';
import { viewState } from '../consents/schemas.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Type } from '../declare/schema.ts';
import { CustomerView, INCLUDE_TEST, viewCustomer } from './schemas.ts';

export const get = endpoint({
  id: 'customers.get',
  route: 'GET /v1/customers/{customerId}',
  summary: 'Read a member, with addresses, purchases and consents',
  access: 'store',
  scopes: ['customer:r'],
  change: 'none',
  query: Type.Object({ ...INCLUDE_TEST }),
  data: CustomerView,
  errors: ['CUSTOMER_NOT_FOUND'],
}).handle(async ({ tx, params, query }) => {
  const customer = await readCustomer(tx, params.customerId, query.includeTest === 'true');
  const [addresses, consents] = await Promise.all([listBuyerAddresses(tx, params.customerId), currentConsents(tx, params.customerId)]);
  return { ...viewCustomer(customer), addresses: addresses.map(viewBuyerAddress), consents: consents.map(viewState) };
});
