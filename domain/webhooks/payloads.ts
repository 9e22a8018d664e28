/**
 * Payloads of events: resource ids and statuses, nothing personal (docs/contract.md#events). Each schema is also the
 * TypeScript type, the documentation and the sample.
 */
import { type Static, type TProperties, Type } from 'typebox';
import { FULFILLMENT_METHODS, FULFILLMENT_TYPES } from '../products/rules.ts';
import { PUBLIC_STATUSES } from '../flows/graph/status.ts';
import type { EventType } from './rules.ts';

const id = (example: string) => Type.String({ minLength: 1, maxLength: 64, examples: [example] });
const nullable = <S extends Parameters<typeof Type.Union>[0][number]>(schema: S) => Type.Union([schema, Type.Null()]);
const Status = Type.Enum([...PUBLIC_STATUSES], { examples: ['PAID'] });
const TestPayment = Type.Boolean({ examples: [true] });
const Won = Type.Integer({ minimum: 0, examples: [10_000] });
const Text = (example: string) => Type.String({ examples: [example] });
const orderId = id('ord_0351l683bQYSKrMJPHzMHo');
const orderItemId = id('oit_0351l683bQYSKrMJPHzMHp');
const productId = id('prd_0351l683bQYSKrMJPHzMHq');

const order = { orderId, status: Status, testPayment: TestPayment };
const claim = {
  claimId: id('clm_0351l683bQYSKrMJPHzMHr'),
  orderId,
  orderItemId,
  claimType: Type.Enum(['CANCEL', 'RETURN', 'EXCHANGE'], { examples: ['RETURN'] }),
  status: Text('REQUESTED'),
  testPayment: TestPayment,
};
const PickupLocation = Type.Object({
  pickupLocationId: id('pul_0351l683bQYSKrMJPHzMHs'),
  name: Text('매장'),
  address: Text('서울'),
  contact: Text('02-000-0000'),
  availableHours: nullable(Text('10:00-18:00')),
});
const fulfillmentSnapshot = Type.Object({
  type: Type.Enum([...FULFILLMENT_TYPES], { examples: ['MANUAL'] }),
  method: Type.Enum([...FULFILLMENT_METHODS], { examples: ['PROVIDED'] }),
  pickupLocation: nullable(PickupLocation),
});

/** Fields may be added later: receivers have to accept unknown fields. */
const data = <P extends TProperties>(properties: P) => Type.Object(properties);

/** `data` per type. */
export const EVENT_DATA = {
  'ORDER.PAID': data(order),
  'ORDER.CONFIRMED': data(order),
  'ORDER.DISPATCHED': data(order),
  'ORDER.DELIVERED': data({
    ...order,
    orderItemId: Type.Optional(orderItemId),
    fulfillmentSnapshot: Type.Optional(fulfillmentSnapshot),
  }),
  'ORDER.PURCHASE_DECIDED': data(order),
  'ORDER.ADDRESS_CHANGE_REQUESTED': data(order),
  'ORDER.CANCELED': data({ ...order, orderItemId, canceledQuantity: Won, refundAmount: Won, pointRefundAmount: Won }),
  'ORDER.FULFILLED': data({ ...order, orderItemId }),
  'ORDER.FLOW_STATE_CHANGED': data({
    orderId,
    orderItemId,
    from: nullable(Text('paid')),
    to: Text('preparing'),
    label: Text('상품 준비 중'),
    coreStatus: Status,
  }),
  'ORDER.FLOW_NOTIFICATION': data({ ...order, orderItemId, name: Text('ready-for-pickup') }),
  'CLAIM.CANCEL_REQUESTED': data(claim),
  'CLAIM.RETURN_REQUESTED': data(claim),
  'CLAIM.EXCHANGE_REQUESTED': data(claim),
  'CLAIM.COMPLETED': data(claim),
  'INQUIRY.CREATED': data({ inquiryId: id('inq_0351l683bQYSKrMJPHzMHt'), productId }),
  'REVIEW.CREATED': data({
    reviewId: id('rev_0351l683bQYSKrMJPHzMHu'),
    productId,
    rating: Type.Integer({ minimum: 1, maximum: 5, examples: [5] }),
  }),
  'PRODUCT.OUT_OF_STOCK': data({ productId, variantId: id('var_0351l683bQYSKrMJPHzMHv') }),
} as const satisfies Record<EventType, unknown>;

export type EventData<T extends EventType> = Static<(typeof EVENT_DATA)[T]>;

interface Node {
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly Node[];
  readonly properties?: Readonly<Record<string, Node>>;
}
const sampleOf = (node: Node): unknown =>
  node.properties
    ? Object.fromEntries(Object.entries(node.properties).map(([name, inner]) => [name, sampleOf(inner)]))
    : (node.examples?.[0] ?? (node.anyOf ? sampleOf(node.anyOf[0]!) : null));

/** Sample data of an event type, for test deliveries. */
export const sampleData = (type: EventType): object => sampleOf(EVENT_DATA[type] as Node) as object;

const Body = (type: EventType) =>
  Type.Object({
    id: Text('evt_0351l683bQYSKrMJPHzMHw'),
    type: Type.Literal(type),
    createdAt: Type.String({ format: 'date-time', description: 'UTC', examples: ['2026-11-20T00:30:00.000Z'] }),
    storeId: id('sto_0351l683bQYSKrMJPHzMHx'),
    data: EVENT_DATA[type],
  });

/** JSON Schema of every event body, as it is served at /openapi/events.json: one definition per type. */
export const eventsSchema = (types: readonly EventType[]): object => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Sangjeom events',
  description: 'The body of a webhook request, and of an item of GET /v1/events. Fields may be added.',
  oneOf: types.map((type) => ({ $ref: `#/$defs/${type}` })),
  $defs: Object.fromEntries(types.map((type) => [type, Body(type)])),
});
