import { rotateSecret as rotate, withAuthors } from '../../db/identity/clients.ts';
import { endpoint } from '../declare/endpoint.ts';
import { NewSecret, viewClient } from './schemas.ts';
import { API_CLIENT } from './subject.ts';

export const rotateSecret = endpoint({
  id: 'clients.rotateSecret',
  route: 'POST /v1/store/api-clients/{clientId}/rotate-secret',
  summary: 'Give a client a new secret, shown once; the old one is dead at once, tokens live on',
  access: 'store',
  console: ['OWNER', 'ADMIN'],
  agent: 'denied',
  target: API_CLIENT,
  change: 'here',
  idempotent: true,
  secret: true,
  data: NewSecret,
  errors: ['CLIENT_NOT_FOUND', 'INVALID_STATUS'],
}).handle(async ({ tx, params }) => {
  const { client, clientSecret } = await rotate(tx, params.clientId);
  const [shown] = await withAuthors(tx, [client]);
  return { ...viewClient(shown!), clientSecret };
});
