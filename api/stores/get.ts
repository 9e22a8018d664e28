import { readStore } from '../../db/stores/queries.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Store, viewStore } from './schemas.ts';

export const get = endpoint({
  id: 'stores.get',
  route: 'GET /v1/store',
  summary: 'Read the store settings',
  access: 'store',
  scopes: ['store:r'],
  change: 'none',
  data: Store,
}).handle(async ({ tx }) => viewStore(await readStore(tx)));
