import { endpoint } from '../declare/endpoint.ts';
import { closed } from '../declare/schema.ts';
import { CarrierCode, OrderItem, TrackingNumber } from './schemas.ts';
import { trackingNumberText } from '../declare/sender.ts';
import { sendSellerCommand, COMMAND_ERRORS } from './sendCommand.ts';
import { ORDER_ITEM } from './subject.ts';

export const correctTracking = endpoint({
  id: 'orders.correctTracking',
  route: 'PUT /v1/order-items/{orderItemId}/dispatch/tracking',
  summary: 'Correct carrier and tracking number of a shipment; tracking begins anew',
  access: 'store',
  scopes: ['order:rw'],
  agent: 'direct',
  aiActions: 'always',
  target: ORDER_ITEM,
  change: 'workflow',
  idempotent: true,
  body: closed({ carrierCode: CarrierCode, trackingNumber: TrackingNumber }, { title: 'TrackingRequest' }),
  data: OrderItem,
  errors: [...COMMAND_ERRORS, 'NOT_SHIPPABLE'],
}).handle((call) => {
  const { trackingNumber, ...input } = call.body;
  return sendSellerCommand(call, call.params.orderItemId, { name: 'correctTracking', input, ...trackingNumberText(trackingNumber) });
});
