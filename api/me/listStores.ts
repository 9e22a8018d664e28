import { membershipsOf } from '../../db/identity/people.ts';
import { endpoint } from '../kernel/endpoint.ts';
import { closed, Id, oneOf, Type } from '../kernel/schema.ts';

const MyStore = closed(
  { storeId: Id, storeCode: Type.String(), name: Type.String(), sandbox: Type.Boolean(), role: oneOf(['OWNER', 'ADMIN', 'STAFF']) },
  { title: 'MyStore' },
);

export const listStores = endpoint({
  id: 'me.listStores',
  route: 'GET /me/stores',
  summary: 'List the stores of the person who logged in, with their role; through a client of one store, that store only',
  access: 'user',
  change: 'none',
  data: closed({ items: Type.Array(MyStore) }),
}).handle(async ({ deps, principal, clientStoreId }) => ({ items: await membershipsOf(deps.orm, principal, clientStoreId) }));
