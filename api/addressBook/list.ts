import { listBuyerAddresses } from '../../db/customers/addressBook.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, Type } from '../declare/schema.ts';
import { BuyerAddress, viewBuyerAddress } from './schemas.ts';

export const list = endpoint({
  id: 'addressBook.list',
  route: 'GET /storefront/v1/me/addresses',
  summary: 'List my addresses, the default first',
  access: 'customer',
  change: 'none',
  data: closed({ items: Type.Array(BuyerAddress) }),
}).handle(async ({ tx, customer }) => ({ items: (await listBuyerAddresses(tx, customer!.customerId)).map(viewBuyerAddress) }));
