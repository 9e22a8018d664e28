import { membershipsOf } from '../../db/identity/people.ts';
import { endpoint } from '../declare/endpoint.ts';
import { offset } from '../../db/kernel/page.ts';
import { closed, listOf, page, wholePaging, Id, oneOf, Type } from '../declare/schema.ts';

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
  query: Type.Object(wholePaging),
  data: listOf(MyStore),
}).handle(async ({ deps, principal, clientStoreId, query }) => {
  const stores = await membershipsOf(deps.orm, principal, clientStoreId);
  const { limit, offset: passed } = offset(query);
  return page(query, stores.slice(passed, passed + limit), stores.length);
});
