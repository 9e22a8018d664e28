import { makeDefault as make } from '../../db/addresses/commands.ts';
import { endpoint } from '../declare/endpoint.ts';
import { SellerAddressView, viewAddress } from './schemas.ts';
import { ADDRESS } from './subject.ts';

export const makeDefault = endpoint({
  id: 'addresses.makeDefault',
  route: 'POST /v1/seller-addresses/{addressId}/default',
  summary: 'Make an address the default of its type',
  access: 'store',
  console: ['OWNER', 'ADMIN'],
  scopes: ['store:rw'],
  agent: 'denied',
  target: ADDRESS,
  change: 'here',
  idempotent: true,
  data: SellerAddressView,
  errors: ['ADDRESS_NOT_FOUND'],
}).handle(async ({ tx, params }) => viewAddress(await make(tx, params.addressId)));
