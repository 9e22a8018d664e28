import { currentConsents, listConsents as findConsents } from '../../db/customers/consents.ts';
import { checkCustomer } from '../../db/customers/list.ts';
import { CONSENT_KINDS } from '../../domain/customers/consents.ts';
import { ConsentState, viewState } from '../consents/schemas.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, listOf, oneOf, page, paging, Type } from '../declare/schema.ts';
import { ConsentRecord, viewRecord } from './schemas.ts';

export const listConsents = endpoint({
  id: 'customers.listConsents',
  route: 'GET /v1/customers/{customerId}/consents',
  summary: 'List what a member agreed to and took back, newest first, and how it stands',
  access: 'store',
  scopes: ['customer:r'],
  change: 'none',
  query: Type.Object({ ...paging, kind: Type.Optional(oneOf(CONSENT_KINDS)) }),
  data: closed({ ...listOf(ConsentRecord).properties, current: Type.Array(ConsentState) }, { title: 'ConsentHistory' }),
  errors: ['CUSTOMER_NOT_FOUND'],
}).handle(async ({ tx, params: { customerId }, query }) => {
  await checkCustomer(tx, customerId);
  const { items, total } = await findConsents(tx, customerId, query);
  const current = await currentConsents(tx, customerId);
  return { ...page(query, items.map(viewRecord), total), current: current.map(viewState) };
});
