import { listInquiries } from '../../db/inquiries/queries.ts';
import { INQUIRY_STATUSES } from '../../domain/inquiries/rules.ts';
import { fitted } from '../declare/shortened.ts';
import { endpoint } from '../declare/endpoint.ts';
import { among, named, read } from '../declare/parameters.ts';
import { Id, listOf, page, paging, Type } from '../declare/schema.ts';
import { INQUIRY_CUT, ListedInquiry, viewInquiry } from './schemas.ts';

const Query = Type.Object({
  ...paging,
  status: named(among(INQUIRY_STATUSES), 'WAITING or ANSWERED'),
  productId: Type.Optional(Id),
});

export const list = endpoint({
  id: 'inquiries.list',
  route: 'GET /v1/inquiries',
  summary: 'List inquiries, newest first: WAITING ones wait for an answer',
  access: 'store',
  scopes: ['inquiry:r'],
  change: 'none',
  query: Query,
  data: listOf(ListedInquiry),
  errors: ['INVALID_PARAMETER'],
}).handle(async ({ tx, query }) => {
  const { status } = read(Query, query);
  const { items, total } = await listInquiries(tx, { ...query, status });
  return fitted(page(query, items.map(viewInquiry), total), query.size, INQUIRY_CUT);
});
