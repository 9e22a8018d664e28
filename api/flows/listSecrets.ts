import { listSecrets as list } from '../../db/flows/secrets.ts';
import { endpoint } from '../declare/endpoint.ts';
import { listOf, page, Type, wholePaging } from '../declare/schema.ts';
import { Secret, viewSecret } from './schemas.ts';

export const listSecrets = endpoint({
  id: 'flows.listSecrets',
  route: 'GET /v1/commerce-flows/secrets',
  summary: 'List the connections to external services by name, without the values of their headers',
  access: 'store',
  scopes: ['flow:r'],
  change: 'none',
  query: Type.Object(wholePaging),
  data: listOf(Secret),
}).handle(async ({ tx, query }) => {
  const [secrets, total] = await list(tx, query);
  return page(query, secrets.map(viewSecret), total);
});
