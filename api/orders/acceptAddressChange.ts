import { answered, decideAddressChange } from '../../db/orders/addressChanges.ts';
import { readOrder } from '../../db/orders/queries.ts';
import { viewOrder } from '../../db/orders/views.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, Id } from '../declare/schema.ts';
import { Order } from './schemas.ts';
import { ORDER } from './subject.ts';

export const acceptAddressChange = endpoint({
  id: 'orders.acceptAddressChange',
  route: 'POST /v1/orders/{orderId}/address-change/accept',
  summary: 'Accept the address that the buyer asked for: the order is sent there',
  access: 'store',
  scopes: ['order:rw'],
  agent: 'approval',
  target: ORDER,
  change: 'here',
  idempotent: true,
  body: closed({ addressChangeId: { ...Id, description: 'The request that was looked at' } }, { title: 'AddressChangeAcceptance' }),
  data: Order,
  errors: ['ORDER_NOT_FOUND', 'INVALID_STATUS', 'CONCURRENT_UPDATE', 'DELIVERY_AREA_MISMATCH'],
}).handle(async ({ tx, params: { orderId }, body: { addressChangeId } }) => {
  await decideAddressChange(tx, orderId, { addressChangeId, reason: null });
  return answered(tx, await viewOrder(tx, await readOrder(tx, orderId)));
});
