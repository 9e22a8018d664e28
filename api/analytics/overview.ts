import { readOverview } from '../../db/visits/lists.ts';
import { overviewOf } from '../../domain/visits/overview.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, Count, Day, Type } from '../declare/schema.ts';
import { filterOf, head, reported, Sum, viewHead } from './schemas.ts';

const counts = {
  visitors: Count,
  sessions: Count,
  pageViews: Count,
  productViews: Count,
  cartAdds: Count,
  paymentStarts: Count,
  purchases: Count,
  purchaseAmount: Sum,
};

export const overview = endpoint({
  id: 'analytics.overview',
  route: 'GET /v1/analytics/overview',
  summary: 'Read visits and what came of them, in all and by day; the last 30 days unless from and to say otherwise',
  access: 'store',
  scopes: ['analytics:r'],
  change: 'none',
  query: Type.Object(reported),
  data: closed(
    {
      ...head,
      droppedEvents: Type.Integer({
        minimum: 0,
        description: 'Events of the period that were not taken: a visitor, an address or the store had as many as a day may have',
      }),
      totals: closed(counts, { title: 'VisitCounts' }),
      days: Type.Array(closed({ date: Day, ...counts }, { title: 'VisitDay' })),
    },
    { title: 'VisitOverview' },
  ),
}).handle(async ({ tx, query, at }) => {
  const filter = filterOf(query, at);
  const found = await readOverview(tx, filter);
  return { ...viewHead(filter, found), droppedEvents: found.droppedEvents, ...overviewOf(filter, found.days) };
});
