import { listShown } from '../../db/products/storefront.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Id, Keyword, listOf, page, paging, Type } from '../declare/schema.ts';
import { SummarizedProduct, viewListed } from './schemas.ts';

export const listProducts = endpoint({
  id: 'storefront.listProducts',
  route: 'GET /storefront/v1/products',
  summary: 'List the products on sale, without descriptions, options and variants',
  access: 'storefront',
  isPublic: true,
  change: 'none',
  query: Type.Object({
    ...paging,
    categoryId: Type.Optional(Id),
    keyword: Type.Optional(Keyword),
  }),
  data: listOf(SummarizedProduct),
}).handle(async ({ tx, query, at }) => {
  const { items, total } = await listShown(tx, query);
  return page(
    query,
    items.map((item) => viewListed(item, at)),
    total,
  );
});
