import { listProducts } from '../../db/products/queries.ts';
import { SALES_STATUSES, type SalesStatus } from '../../domain/products/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { Id, Keyword, listOf, page, paging, Type } from '../kernel/schema.ts';
import { ProductSummary, viewListed } from './schemas.ts';

const PRODUCT_NO = '^[0-9]{1,9}$';
const isStatus = (text: string): text is SalesStatus => SALES_STATUSES.some((status) => status === text);

export const list = endpoint({
  id: 'products.list',
  route: 'GET /v1/products',
  summary: 'List products, newest number first, without descriptions, options and variants',
  access: 'store',
  scopes: ['product:r'],
  change: 'none',
  query: Type.Object({
    ...paging,
    productNo: Type.Optional(Type.String({ 'x-document': { pattern: PRODUCT_NO } })),
    status: Type.Optional(Type.String({ 'x-document': { enum: SALES_STATUSES } })),
    categoryId: Type.Optional(Id),
    keyword: Type.Optional(Keyword),
  }),
  data: listOf(ProductSummary),
  errors: ['INVALID_PARAMETER'],
}).handle(async ({ tx, query, at }) => {
  const { productNo, status, ...paged } = query;
  if (productNo !== undefined && !new RegExp(PRODUCT_NO).test(productNo))
    throw new Fault('INVALID_PARAMETER', { details: { parameter: 'productNo' } });
  if (status !== undefined && !isStatus(status)) throw new Fault('INVALID_PARAMETER', { details: { parameter: 'status' } });
  const filter = { ...paged, ...(productNo !== undefined && { productNo: Number(productNo) }), ...(status !== undefined && { status }) };
  const { items, total } = await listProducts(tx, filter);
  return page(
    paged,
    items.map((item) => viewListed(item, at)),
    total,
  );
});
