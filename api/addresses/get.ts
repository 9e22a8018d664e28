import { findAddress } from '../../db/addresses/queries.ts';
import { endpoint } from '../declare/endpoint.ts';
import { SellerAddressView, viewAddress } from './schemas.ts';

export const get = endpoint({
  id: 'addresses.get',
  route: 'GET /v1/seller-addresses/{addressId}',
  summary: 'Read an address',
  access: 'store',
  scopes: ['store:r'],
  change: 'none',
  data: SellerAddressView,
  errors: ['ADDRESS_NOT_FOUND'],
}).handle(async ({ tx, params }) => viewAddress(await findAddress(tx, params.addressId)));
