import { readItem } from '../../db/orders/queries.ts';
import { viewTracking } from '../../db/orders/views.ts';
import { isShipped } from '../../domain/checkout/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { TRACKING_STAGES } from '../../domain/orders/tracking.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, nullable, oneOf, Timestamp, Type } from '../declare/schema.ts';

const Stage = oneOf(TRACKING_STAGES);
const Tracking = closed(
  {
    carrierCode: nullable(Type.String()),
    trackingNumber: nullable(Type.String()),
    stage: nullable(Stage),
    stages: Type.Array(closed({ stage: Stage, at: Timestamp, location: nullable(Type.String()) })),
    lastCheckedAt: nullable(Timestamp),
  },
  { title: 'Tracking' },
);

export const getTracking = endpoint({
  id: 'orders.getTracking',
  route: 'GET /v1/order-items/{orderItemId}/dispatch/tracking',
  summary: 'Where a courier shipment is, as its courier last said',
  access: 'store',
  scopes: ['order:r'],
  change: 'none',
  data: Tracking,
  errors: ['ORDER_ITEM_NOT_FOUND', 'NOT_SHIPPABLE'],
  statuses: { NOT_SHIPPABLE: 404 },
}).handle(async ({ tx, params }) => {
  const item = await readItem(tx, params.orderItemId);
  if (!isShipped({ fulfillmentMethod: item.fulfillmentSnapshot.method })) throw new Fault('NOT_SHIPPABLE');
  return viewTracking(item);
});
