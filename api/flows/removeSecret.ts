import { removeSecret as remove } from '../../db/flows/secrets.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Type } from '../declare/schema.ts';
import { FLOW_SECRET } from './subject.ts';

export const removeSecret = endpoint({
  id: 'flows.removeSecret',
  route: 'DELETE /v1/commerce-flows/secrets/{name}',
  summary: 'Delete a connection: steps that would call it are skipped from now on',
  access: 'store',
  scopes: ['flow:rw'],
  agent: 'denied',
  target: FLOW_SECRET,
  change: 'here',
  data: Type.Null(),
  errors: ['FLOW_SECRET_NOT_FOUND'],
}).handle(async ({ tx, params }) => {
  await remove(tx, params.name);
  return null;
});
