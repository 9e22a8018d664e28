import { deactivateClient, withAuthors } from '../../db/identity/clients.ts';
import { endpoint } from '../declare/endpoint.ts';
import { ApiClient, viewClient } from './schemas.ts';
import { API_CLIENT } from './subject.ts';

export const deactivate = endpoint({
  id: 'clients.deactivate',
  route: 'POST /v1/store/api-clients/{clientId}/deactivate',
  summary: 'End a client: its tokens are dead at once',
  access: 'store',
  console: ['OWNER', 'ADMIN'],
  agent: 'denied',
  target: API_CLIENT,
  change: 'here',
  idempotent: true,
  data: ApiClient,
  errors: ['CLIENT_NOT_FOUND'],
}).handle(async ({ tx, params }) => {
  const client = await deactivateClient(tx, params.clientId);
  const [shown] = await withAuthors(tx, [client]);
  return viewClient(shown!);
});
