import { listProducts } from '../../db/products/queries.ts';
import { SALES_STATUSES } from '../../domain/products/rules.ts';
import { endpoint } from '../declare/endpoint.ts';
import { among, named, numeric, read } from '../declare/parameters.ts';
import { Id, Keyword, listOf, page, paging, Type } from '../declare/schema.ts';
import { ProductSummary, viewListed } from './schemas.ts';

const Query = Type.Object({
  ...paging,
  productNo: named(numeric(9), 'Of one product'),
  status: named(among(SALES_STATUSES), 'In this status'),
  categoryId: Type.Optional(Id),
  keyword: Type.Optional(Keyword),
});

export const list = endpoint({
  id: 'products.list',
  route: 'GET /v1/products',
  summary: 'List products, newest number first, without descriptions, options and variants',
  access: 'store',
  scopes: ['product:r'],
  change: 'none',
  query: Query,
  data: listOf(ProductSummary),
  errors: ['INVALID_PARAMETER'],
}).handle(async ({ tx, query, at }) => {
  const { productNo: _, status: __, ...paged } = query;
  const { items, total } = await listProducts(tx, { ...paged, ...read(Query, query) });
  return page(
    paged,
    items.map((item) => viewListed(item, at)),
    total,
  );
});
