import { readClient } from '../../db/identity/clients.ts';
import { endpoint } from '../declare/endpoint.ts';
import { ApiClient, viewClient } from './schemas.ts';

export const get = endpoint({
  id: 'clients.get',
  route: 'GET /v1/store/api-clients/{clientId}',
  summary: 'Read an OAuth client of the store',
  access: 'store',
  console: ['OWNER', 'ADMIN'],
  change: 'none',
  data: ApiClient,
  errors: ['CLIENT_NOT_FOUND'],
}).handle(async ({ tx, params }) => viewClient(await readClient(tx, params.clientId)));
