import { deleteAddress } from '../../db/addresses/commands.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Type } from '../declare/schema.ts';
import { ADDRESS } from './subject.ts';

export const remove = endpoint({
  id: 'addresses.remove',
  route: 'DELETE /v1/seller-addresses/{addressId}',
  summary: 'Delete an address that is neither a default nor in use',
  access: 'store',
  console: ['OWNER', 'ADMIN'],
  scopes: ['store:rw'],
  agent: 'denied',
  target: ADDRESS,
  change: 'here',
  data: Type.Null(),
  errors: ['ADDRESS_NOT_FOUND', 'DEFAULT_ADDRESS_UNDELETABLE', 'ADDRESS_IN_USE'],
}).handle(async ({ tx, params }) => {
  await deleteAddress(tx, params.addressId);
  return null;
});
