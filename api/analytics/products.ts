import { listProducts } from '../../db/visits/lists.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, Count, Id, paging, Type } from '../declare/schema.ts';
import { filterOf, list, reported, Sum, viewHead } from './schemas.ts';

const VisitedProduct = closed(
  {
    productId: Id,
    productName: Type.String(),
    productViews: Count,
    visitors: Count,
    cartAdds: Count,
    purchaseQuantity: Count,
    purchaseAmount: Sum,
  },
  { title: 'VisitedProduct' },
);

export const products = endpoint({
  id: 'analytics.products',
  route: 'GET /v1/analytics/products',
  summary: 'List products by how often they were viewed, with what came of it',
  access: 'store',
  scopes: ['analytics:r'],
  change: 'none',
  query: Type.Object({ ...reported, ...paging }),
  data: closed({ items: Type.Array(VisitedProduct), ...list }, { title: 'VisitedProducts' }),
}).handle(async ({ tx, query: { page, size, ...query }, at }) => {
  const filter = filterOf(query, at);
  const { items, total, ...found } = await listProducts(tx, { ...filter, page, size });
  return { items: [...items], page, size, total, ...viewHead(filter, found) };
});
