import { readSales } from '../../db/salesReport/queries.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { periodOf, periodProblems } from '../../domain/kernel/period.ts';
import { PROVIDERS } from '../../domain/payments/providers.ts';
import { GROUPS, PAID_METHODS, totalsOf } from '../../domain/salesReport/rules.ts';
import { endpoint } from '../declare/endpoint.ts';
import { amongAll, FLAGS, severalOf } from '../declare/parameters.ts';
import { closed, Count, Day, nullable, oneOf, Type } from '../declare/schema.ts';

const MAX_DAYS = 366;
/** Sums have no largest value. */
const Sum = Type.Integer({ minimum: 0, description: 'Won' });
const sales = {
  paymentCount: Count,
  paymentAmount: Sum,
  pointAmount: Sum,
  refundCount: Count,
  refundAmount: Sum,
  netAmount: Type.Integer({ description: 'Won; below 0 where more went back than was paid' }),
};

export const get = endpoint({
  id: 'salesReport.get',
  route: 'GET /v1/sales-report',
  summary: 'Read what was paid and paid back, by day or month, provider and method; the last 30 days unless from and to say otherwise',
  access: 'store',
  scopes: ['settlement:r'],
  change: 'none',
  query: Type.Object({
    from: Type.Optional(Day),
    to: Type.Optional(Day),
    groupBy: Type.Optional(oneOf(GROUPS, 'DAY if nothing is sent')),
    pg: Type.Optional(severalOf(PROVIDERS)),
    method: Type.Optional(severalOf(PAID_METHODS)),
    includeTest: Type.Optional(oneOf(FLAGS, 'true: test payments too')),
  }),
  data: closed(
    {
      from: Day,
      to: Day,
      groupBy: oneOf(GROUPS),
      totals: closed(sales, { title: 'Sales' }),
      rows: Type.Array(
        closed(
          {
            period: Type.String({ description: '2026-11-20, or 2026-11' }),
            pg: nullable(oneOf(PROVIDERS, 'Null: nothing was paid in cash')),
            method: oneOf(PAID_METHODS),
            ...sales,
          },
          { title: 'SalesRow' },
        ),
      ),
    },
    { title: 'SalesReport' },
  ),
}).handle(async ({ tx, query, at }) => {
  const period = periodOf(query, at);
  const fieldErrors = periodProblems(period, MAX_DAYS);
  if (fieldErrors.length > 0) throw new Fault('VALIDATION_FAILED', { fieldErrors });
  const groupBy = query.groupBy ?? 'DAY';
  const rows = await readSales(tx, {
    ...period,
    groupBy,
    pgs: query.pg === undefined ? undefined : amongAll(PROVIDERS)(query.pg),
    methods: query.method === undefined ? undefined : amongAll(PAID_METHODS)(query.method),
    includeTest: query.includeTest === 'true',
  });
  return { ...period, groupBy, totals: totalsOf(rows), rows };
});
