import { removeBuyerAddress } from '../../db/customers/addressBook.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Type } from '../declare/schema.ts';

export const remove = endpoint({
  id: 'addressBook.remove',
  route: 'DELETE /storefront/v1/me/addresses/{addressId}',
  summary: 'Delete one of my addresses; of the default, the newest takes its part',
  access: 'customer',
  customerLock: 'NO KEY UPDATE',
  change: 'here',
  data: Type.Null(),
  errors: ['ADDRESS_NOT_FOUND'],
}).handle(async ({ tx, customer, params }) => {
  await removeBuyerAddress(tx, customer!.customerId, params.addressId);
  return null;
});
