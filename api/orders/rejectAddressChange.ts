import { answered, decideAddressChange } from '../../db/orders/addressChanges.ts';
import { readOrder } from '../../db/orders/queries.ts';
import { viewOrder } from '../../db/orders/views.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, Id, Name } from '../declare/schema.ts';
import { Order } from './schemas.ts';
import { ORDER } from './subject.ts';

export const rejectAddressChange = endpoint({
  id: 'orders.rejectAddressChange',
  route: 'POST /v1/orders/{orderId}/address-change/reject',
  summary: 'Reject the address that the buyer asked for; the buyer is shown the reason',
  access: 'store',
  scopes: ['order:rw'],
  agent: 'direct',
  target: ORDER,
  change: 'here',
  idempotent: true,
  body: closed(
    { addressChangeId: { ...Id, description: 'The request that was looked at' }, reason: Name(500) },
    { title: 'AddressChangeRejection' },
  ),
  data: Order,
  errors: ['ORDER_NOT_FOUND', 'INVALID_STATUS', 'CONCURRENT_UPDATE'],
}).handle(async ({ tx, params: { orderId }, body }) => {
  await decideAddressChange(tx, orderId, body);
  return answered(tx, await viewOrder(tx, await readOrder(tx, orderId)));
});
