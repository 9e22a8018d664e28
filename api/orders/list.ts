import { listOrders, type OrderFilter } from '../../db/orders/store.ts';
import { viewOrder } from '../../db/orders/views.ts';
import { FULFILLMENT_TYPES } from '../../workflows/catalog/rules.ts';
import { Fault } from '../../workflows/kernel/errors.ts';
import { DAY } from '../../workflows/kernel/time.ts';
import { PUBLIC_STATUSES } from '../../workflows/orders/status.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { listOf, page, paging, type Static, Type } from '../kernel/schema.ts';
import { Order } from './schemas.ts';

const text = (description: string) => Type.Optional(Type.String({ description }));
const Query = Type.Object({
  ...paging,
  orderNo: text('14 digits, hyphens allowed; needs no period'),
  keyword: text('An order number or its beginning, within the period'),
  orderedFrom: text('ISO 8601 with offset, inclusive; with keyword by default three months ago'),
  orderedTo: text('ISO 8601 with offset, exclusive'),
  testPayment: text('true or false'),
  fulfillmentType: text('Orders with any such item: SHIPPING or MANUAL'),
  status: text('progressStatus'),
});

export const list = endpoint({
  id: 'orders.list',
  route: 'GET /v1/orders',
  summary: 'List orders, newest first',
  access: 'store',
  scopes: ['order:r'],
  change: 'none',
  query: Query,
  data: listOf(Order),
  errors: ['INVALID_PARAMETER'],
}).handle(async ({ em, storeId, query, at }) => {
  const { items, total } = await listOrders(em, storeId, filterOf(query, at));
  return page(
    query,
    items.map((found) => viewOrder(found.order, found.items, found.approvedAt)),
    total,
  );
});

const PERIOD_MS = 92 * DAY;
const bad = (parameter: string): Fault => new Fault('INVALID_PARAMETER', { details: { parameter } });
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** A parameter read by `as`; INVALID_PARAMETER where that answers undefined (D54, D70). */
function read<T>(name: string, sent: string | undefined, as: (sent: string) => T | undefined): T | undefined {
  if (sent === undefined) return undefined;
  const value = as(sent);
  if (value === undefined) throw bad(name);
  return value;
}
const among =
  <T extends string>(known: readonly T[]) =>
  (sent: string): T | undefined =>
    known.find((one) => one === sent);
const moment = (sent: string): number | undefined => (MOMENT.test(sent) && !Number.isNaN(Date.parse(sent)) ? Date.parse(sent) : undefined);
const digits = (least: number) => (sent: string) => {
  const plain = sent.replaceAll('-', '');
  return /^\d{1,14}$/.test(plain) && plain.length >= least ? plain : undefined;
};

function filterOf(query: Static<typeof Query>, at: number): OrderFilter {
  const keyword = read('keyword', query.keyword, digits(1));
  const from = read('orderedFrom', query.orderedFrom, moment) ?? (keyword === undefined ? undefined : at - PERIOD_MS);
  const found = {
    keyword,
    orderNo: read('orderNo', query.orderNo, digits(14)),
    orderedFrom: from,
    orderedTo: read('orderedTo', query.orderedTo, moment),
    testPayment: read('testPayment', query.testPayment, (sent) => ({ true: true, false: false })[sent]),
    fulfillmentType: read('fulfillmentType', query.fulfillmentType, among(FULFILLMENT_TYPES)),
    status: read('status', query.status, among(PUBLIC_STATUSES)),
  };
  const sent = Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
  return { page: query.page, size: query.size, ...sent };
}
