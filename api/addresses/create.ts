import { addAddress } from '../../db/addresses/commands.ts';
import { endpoint } from '../declare/endpoint.ts';
import { SellerAddressRequest, SellerAddressView, viewAddress } from './schemas.ts';
import { ADDRESS } from './subject.ts';

export const create = endpoint({
  id: 'addresses.create',
  route: 'POST /v1/seller-addresses',
  summary: 'Add an address; the first of its type becomes the default',
  access: 'store',
  console: ['OWNER', 'ADMIN'],
  scopes: ['store:rw'],
  agent: 'denied',
  target: ADDRESS,
  change: 'here',
  idempotent: true,
  body: SellerAddressRequest,
  status: 201,
  data: SellerAddressView,
  errors: ['ADDRESS_LIMIT_EXCEEDED'],
}).handle(async ({ tx, body, setHeader }) => {
  const address = await addAddress(tx, body);
  setHeader('Location', `/v1/seller-addresses/${address.addressId}`);
  return viewAddress(address);
});
