import { addBuyerAddress } from '../../db/customers/addressBook.ts';
import { endpoint } from '../declare/endpoint.ts';
import { BuyerAddress, BuyerAddressRequest, viewBuyerAddress } from './schemas.ts';

export const add = endpoint({
  id: 'addressBook.add',
  route: 'POST /storefront/v1/me/addresses',
  summary: 'Add an address to my book of at most 20; the first is the default',
  access: 'customer',
  customerLock: 'NO KEY UPDATE',
  change: 'here',
  idempotent: true,
  body: BuyerAddressRequest,
  status: 201,
  data: BuyerAddress,
  errors: ['ADDRESS_LIMIT_EXCEEDED'],
}).handle(async ({ tx, customer, body }) => viewBuyerAddress(await addBuyerAddress(tx, customer!.customerId, body)));
