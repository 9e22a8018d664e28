import { listPayments, type PaymentFilter } from '../../db/payments/list.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { momentsOf, periodOf, periodProblems } from '../../domain/kernel/period.ts';
import { PROVIDERS } from '../../domain/payments/providers.ts';
import { PAYMENT_STATUSES } from '../../domain/payments/rules.ts';
import { PAID_METHODS } from '../../domain/salesReport/rules.ts';
import { endpoint } from '../declare/endpoint.ts';
import { amongAll, digits, flag, named, read } from '../declare/parameters.ts';
import { Day, listOf, page, paging, type Static, Type } from '../declare/schema.ts';
import { PaymentRecord, viewRecord } from './records.ts';

const MAX_DAYS = 92;
const several = <T extends string>(known: readonly T[]) => named(amongAll(known), 'Any of these, separated by commas');
const Query = Type.Object({
  ...paging,
  from: Type.Optional(Day),
  to: Type.Optional(Day),
  includeTest: named(flag, 'true: test payments too'),
  refundHeld: named(flag, 'true: only with a refund that is held, of all times unless from or to is sent'),
  status: several(PAYMENT_STATUSES),
  pg: several(PROVIDERS),
  method: several(PAID_METHODS),
  orderNo: named(digits(14), '14 digits, hyphens allowed'),
});

export const list = endpoint({
  id: 'payments.list',
  route: 'GET /v1/payments',
  summary: 'List payments, those without an order too, the newest start first: of the last 30 days unless from and to say otherwise',
  access: 'store',
  scopes: ['settlement:r'],
  change: 'none',
  query: Query,
  data: listOf(PaymentRecord),
  errors: ['INVALID_PARAMETER'],
}).handle(async ({ tx, query, at }) => {
  const { items, total } = await listPayments(tx, filterOf(query, at));
  return page(query, items.map(viewRecord), total);
});

function filterOf(query: Static<typeof Query>, at: number): PaymentFilter {
  const { refundHeld: isRefundHeld = false, includeTest = false, status, pg, method, orderNo } = read(Query, query);
  return {
    page: query.page,
    size: query.size,
    started: isRefundHeld && query.from === undefined && query.to === undefined ? null : startedIn(query, at),
    isRefundHeld,
    includeTest,
    statuses: status,
    pgs: pg,
    methods: method,
    orderNo,
  };
}

/** VALIDATION_FAILED for a period that is reversed or too long. */
function startedIn(query: Static<typeof Query>, at: number): NonNullable<PaymentFilter['started']> {
  const period = periodOf(query, at);
  const fieldErrors = periodProblems(period, MAX_DAYS);
  if (fieldErrors.length > 0) throw new Fault('VALIDATION_FAILED', { fieldErrors });
  return momentsOf(period);
}
