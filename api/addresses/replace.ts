import { replaceAddress } from '../../db/addresses/commands.ts';
import { endpoint } from '../declare/endpoint.ts';
import { SellerAddressRequest, SellerAddressView, viewAddress } from './schemas.ts';
import { ADDRESS } from './subject.ts';

export const replace = endpoint({
  id: 'addresses.replace',
  route: 'PUT /v1/seller-addresses/{addressId}',
  summary: 'Replace an address; orders keep what they were sent from',
  access: 'store',
  console: ['OWNER', 'ADMIN'],
  scopes: ['store:rw'],
  agent: 'denied',
  target: ADDRESS,
  change: 'here',
  body: SellerAddressRequest,
  data: SellerAddressView,
  errors: ['ADDRESS_NOT_FOUND', 'INVALID_ADDRESS_TYPE'],
}).handle(async ({ tx, params, body }) => viewAddress(await replaceAddress(tx, params.addressId, body)));
