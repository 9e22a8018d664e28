import { listSources } from '../../db/visits/lists.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, Count, paging, Type } from '../declare/schema.ts';
import { filterOf, list, reported, Sum, viewHead } from './schemas.ts';

const VisitSource = closed(
  {
    source: Type.String({ description: 'utmSource, the host of the referrer, or direct' }),
    medium: Type.String({ description: 'utmMedium, referral, or none' }),
    visitors: Count,
    sessions: Count,
    pageViews: Count,
    purchases: Count,
    purchaseAmount: Sum,
  },
  { title: 'VisitSource' },
);

export const sources = endpoint({
  id: 'analytics.sources',
  route: 'GET /v1/analytics/sources',
  summary: 'List where sessions came from, those of the most sessions first',
  access: 'store',
  scopes: ['analytics:r'],
  change: 'none',
  query: Type.Object({ ...reported, ...paging }),
  data: closed({ items: Type.Array(VisitSource), ...list }, { title: 'VisitSources' }),
}).handle(async ({ tx, query: { page, size, ...query }, at }) => {
  const filter = filterOf(query, at);
  const { items, total, ...found } = await listSources(tx, { ...filter, page, size });
  return { items: [...items], page, size, total, ...viewHead(filter, found) };
});
