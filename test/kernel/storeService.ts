/**
 * Makes stores and their members for all test files, in Jest's main process, and starts API processes that they share. A test file has
 * modules and connections of its own: MikroORM's and the entities' metadata would be built anew in each of a hundred.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { MikroORM } from '@mikro-orm/postgresql';
import { type Person, seedMembersIn } from '../../bin/dev/people.ts';
import type { System } from '../../bin/dev/system.ts';
import { makeStoreIn, type StoreRequest } from '../../bin/ops/store/make.ts';
import type { CreatedStore } from '../../db/identity/createStore.ts';
import { openOrm } from '../../db/orm.ts';
import { SharedApis } from './forkApi.ts';

/** Its operations: `POST /{operation}` with the input as JSON. */
export interface StoreService {
  readonly store: { readonly input: StoreRequest; readonly output: CreatedStore };
  /** Of what its environment differs in; its URL. */
  readonly api: { readonly input: Readonly<Record<string, string>>; readonly output: string };
  readonly members: { readonly input: { readonly storeId: string; readonly members: readonly Person[] }; readonly output: null };
}
type Operations = { readonly [O in keyof StoreService]: (input: StoreService[O]['input']) => Promise<StoreService[O]['output']> };

const operationsOf = (orm: MikroORM, sealingKeys: string, apis: SharedApis): Operations => ({
  api: (changes) => apis.urlOf(changes),
  store: (request) => makeStoreIn(orm, request, sealingKeys),
  members: async ({ storeId, members }) => {
    await seedMembersIn(orm, storeId, members);
    return null;
  },
});

export async function startStoreService({ databaseUrl, env }: System): Promise<{ url: string; server: Server }> {
  const orm = await openOrm(databaseUrl, 4);
  const apis = new SharedApis(env);
  const operations = operationsOf(orm, env['SEALING_KEYS']!, apis);
  const server = createServer((request, response) => {
    const operation = operations[request.url!.slice(1) as keyof StoreService] as (input: unknown) => Promise<unknown>;
    json(request)
      .then(operation)
      .then((output) => response.end(JSON.stringify(output)))
      .catch((error: unknown) => response.writeHead(500).end(JSON.stringify(String(error))));
  });
  // A connection is closed by its client: a request that crosses the server's own timeout would be lost.
  server.keepAliveTimeout = 0;
  server.on('close', () => {
    apis.stop();
    void orm.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}
