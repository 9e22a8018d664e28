import { listSecrets as list } from '../../db/flows/secrets.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { closed, Type } from '../kernel/schema.ts';
import { Secret, viewSecret } from './schemas.ts';

export const listSecrets = endpoint({
  id: 'flows.listSecrets',
  route: 'GET /v1/commerce-flows/secrets',
  summary: 'List the connections to external services by name, without the values of their headers',
  access: 'store',
  scopes: ['flow:r'],
  change: 'none',
  data: closed({ items: Type.Array(Secret) }),
}).handle(async ({ tx }) => ({ items: (await list(tx)).map(viewSecret) }));
