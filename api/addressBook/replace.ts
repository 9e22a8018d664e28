import { replaceBuyerAddress } from '../../db/customers/addressBook.ts';
import { endpoint } from '../declare/endpoint.ts';
import { BuyerAddress, BuyerAddressRequest, viewBuyerAddress } from './schemas.ts';

export const replace = endpoint({
  id: 'addressBook.replace',
  route: 'PUT /storefront/v1/me/addresses/{addressId}',
  summary: 'Replace one of my addresses; orders keep theirs',
  access: 'customer',
  customerLock: 'NO KEY UPDATE',
  change: 'here',
  body: BuyerAddressRequest,
  data: BuyerAddress,
  errors: ['ADDRESS_NOT_FOUND'],
}).handle(async ({ tx, customer, params, body }) =>
  viewBuyerAddress(await replaceBuyerAddress(tx, customer!.customerId, params.addressId, body)),
);
