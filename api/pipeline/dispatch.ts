/** Requests to the management API that do not come over HTTP: the same steps as those of mount.ts, without Koa. */
import { stringify } from 'node:querystring';
import { newId } from '../../db/kernel/clock.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { type Acceptor, createAcceptor, declared } from './accept.ts';
import { ACCEPT } from './order.ts';
import type { Incoming } from '../declare/incoming.ts';
import { aliases } from '../web/aliases.ts';
import type { StoreCaller } from '../callers/authenticate.ts';
import type { ApiDeps } from '../declare/deps.ts';
import type { Endpoint } from '../declare/endpoint.ts';
import { asFault, type Envelope, type ErrorReply, failureOf, refusal, successOf } from '../web/envelope.ts';

type Query = Readonly<Record<string, string | number | boolean | readonly (string | number | boolean)[]>>;
export interface Dispatch {
  readonly method: string;
  /** As in the documents, or its short form; a query may stand in it, too. */
  readonly path: string;
  readonly query?: Query | undefined;
  readonly body?: unknown;
  /** By lower-case name. */
  readonly headers?: Readonly<Record<string, string>>;
}
/** Who sends it. */
export interface Sender {
  readonly caller: StoreCaller;
  readonly clientAddress: string;
  readonly ip: string | null;
  readonly userAgent: string;
  readonly gone: () => AbortSignal;
}
/** A request that was answered, for the store's request log. */
export interface Observed {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  /** Null: there is none at this address. */
  readonly operationId: string | null;
  readonly statusCode: number;
  readonly errorCode: string | null;
  /** Real milliseconds. */
  readonly receivedAt: number;
  readonly durationMs: number;
  readonly sender: Sender;
}
export type Dispatcher = (request: Dispatch, sender: Sender) => Promise<Envelope>;

interface Route {
  readonly endpoint: Endpoint;
  readonly method: string;
  readonly pattern: RegExp;
  /** `0` for a literal segment, `1` for a parameter: of two matching paths, the one with the earlier literal segment wins. */
  readonly rank: string;
  readonly acceptor: Acceptor;
}

/** Never throws: a refusal is its envelope, as over HTTP. `observe`: sees every answer. */
export function createDispatcher(endpoints: readonly Endpoint[], deps: ApiDeps, observe: (observed: Observed) => void): Dispatcher {
  const routes = endpoints.filter(({ access }) => access === 'store').flatMap((endpoint) => routesOf(endpoint, deps));
  return async (request, sender) => {
    const receivedAt = deps.clock.now();
    const requestId = newId('req', receivedAt);
    const { path } = partsOf(request);
    const { envelope, operationId } = await answer(routes, request, sender, requestId, deps);
    const { status: statusCode } = envelope.meta;
    const errorCode = envelope.error?.code ?? null;
    const durationMs = deps.clock.now() - receivedAt;
    observe({ requestId, method: request.method, path, operationId, statusCode, errorCode, receivedAt, durationMs, sender });
    return envelope;
  };
}

async function answer(
  routes: readonly Route[],
  request: Dispatch,
  { caller, clientAddress, gone }: Sender,
  requestId: string,
  deps: ApiDeps,
): Promise<{ readonly envelope: Envelope; readonly operationId: string | null }> {
  let endpoint: Endpoint | null = null;
  try {
    const { route, incoming } = find(routes, request, gone);
    ({ endpoint } = route);
    const { status, body, code } = await ACCEPT.walk({
      ...route.acceptor,
      incoming,
      requestId,
      clientAddress,
      authenticate: async () => caller,
    });
    const error = body as ErrorReply['error'];
    const envelope = status < 300 ? successOf(status, body, requestId, code) : failureOf({ status, error }, requestId);
    return { envelope, operationId: endpoint.id };
  } catch (error) {
    const fault = asFault(endpoint ? declared(endpoint, deps, error) : error, deps.log, requestId);
    return { envelope: failureOf(refusal(fault, endpoint?.statuses), requestId), operationId: endpoint?.id ?? null };
  }
}

/** A path, and the query that stands in it. */
function partsOf({ path: address }: Dispatch): { readonly path: string; readonly inPath: string } {
  const [path = '', inPath = ''] = address.split(/\?(.*)/s);
  return { path, inPath };
}

function routesOf(endpoint: Endpoint, deps: ApiDeps): Route[] {
  const [method = '', path = ''] = endpoint.route.split(' ');
  const acceptor = createAcceptor(endpoint, deps);
  return aliases(path).map((alias) => ({
    endpoint,
    method,
    // As the router matches: with or without a slash at the end.
    pattern: new RegExp(`^${alias.replaceAll('.', String.raw`\.`).replaceAll(/{(\w+)}/g, '(?<$1>[^/]+)')}/?$`),
    rank: alias.replaceAll(/[^/]+/g, (segment) => (segment.startsWith('{') ? '1' : '0')),
    acceptor,
  }));
}

interface Found {
  readonly route: Route;
  readonly incoming: Incoming;
}
/** NOT_FOUND, METHOD_NOT_ALLOWED. The content of what takes a file is UNSUPPORTED_MEDIA_TYPE. */
function find(routes: readonly Route[], request: Dispatch, gone: Sender['gone']): Found {
  const { method, query = {}, body, headers = {} } = request;
  const { path, inPath } = partsOf(request);
  const matching = routes.filter(({ pattern }) => pattern.test(path));
  if (matching.length === 0) throw new Fault('NOT_FOUND');
  const best = matching.map(({ rank }) => rank).reduce((min, rank) => (rank < min ? rank : min));
  const route = matching.find((one) => one.rank === best && one.method === method.toUpperCase());
  if (!route) throw new Fault('METHOD_NOT_ALLOWED');
  const params = Object.fromEntries(Object.entries(route.pattern.exec(path)?.groups ?? {}).map(([name, value]) => [name, decoded(value)]));
  const incoming = {
    path,
    params,
    querystring: [inPath, stringify(query)].filter((part) => part !== '').join('&'),
    header: (name: string) => headers[name],
    content: () =>
      route.endpoint.maxFileBytes === undefined
        ? Promise.resolve({ sent: body, file: null })
        : Promise.reject(new Fault('UNSUPPORTED_MEDIA_TYPE')),
    gone,
  };
  return { route, incoming };
}

/** NOT_FOUND for what is no escaped UTF-8. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Fault('NOT_FOUND');
  }
}
