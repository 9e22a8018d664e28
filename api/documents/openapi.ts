/** The OpenAPI 3.1 documents, generated from the endpoints. Schemas with a title become components. */
import { tagOf } from './tags.ts';
import { VERSION } from '../web/version.ts';
import { catalogue, type ErrorCode } from '../../domain/kernel/errors.ts';
import { responseSchema, requestSchema, type Json } from '../declare/documentedSchema.ts';
import { policyOf, takesKey } from '../declare/agents.ts';
import { type Access, type Endpoint, isForAgents, isManaged, isPersonal, isWrite, needsBody } from '../declare/endpoint.ts';
import { errorsOf } from '../declare/errors.ts';
import { exampleOf } from './examples.ts';
import {
  Failure,
  headers,
  AGENT,
  DRY_RUN,
  IDEMPOTENCY_KEY,
  IF_MATCH,
  Meta,
  ONE_SCOPE,
  pathParameter,
  securitySchemes,
  STORE_CODE,
} from './openapiParts.ts';

export type Surface = 'store' | 'storefront';

export const surfaceOf = (endpoint: Endpoint): Surface =>
  endpoint.access === 'store' || endpoint.access === 'user' ? 'store' : 'storefront';

const SECURITY: Readonly<Record<Access, readonly Json[]>> = {
  store: [{ storeToken: [] }, { userToken: [] }],
  user: [{ userToken: [] }],
  buyer: [{ cartToken: [] }, { memberToken: [] }],
  customer: [{ memberToken: [] }],
  storefront: [],
  payment: [],
};
/** The headers that name the store. */
const STORE_HEADERS: Readonly<Record<Access, readonly Json[]>> = {
  store: [],
  user: [],
  buyer: [STORE_CODE],
  customer: [STORE_CODE],
  storefront: [STORE_CODE],
  payment: [{ ...STORE_CODE, required: false }],
};

export function openapi(surface: Surface, endpoints: readonly Endpoint[]): Json {
  const schemas: Json = {};
  const paths: Record<string, Json> = {};
  const routes = new Set(endpoints.map(({ route }) => route));
  const shownHere = endpoints.filter((e) => surfaceOf(e) === surface);
  for (const endpoint of shownHere) {
    const [method = '', path = ''] = endpoint.route.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(endpoint, path, schemas, isReadable(path, routes)) };
  }
  return {
    openapi: '3.1.1',
    info: { title: surface === 'store' ? 'Sangjeom Store Management API' : 'Sangjeom Storefront API', version: VERSION },
    tags: [...new Set(shownHere.map(({ id }) => tagOf(id)))],
    paths,
    components: { securitySchemes, headers, schemas: { Meta, Failure, ...schemas } },
  };
}

/** Whether a created resource can be read by its id, so that 201 has a `Location`. */
const isReadable = (path: string, routes: ReadonlySet<string>): boolean =>
  [...routes].some((route) => route.startsWith(`GET ${path}/{`) && !route.slice(`GET ${path}/`.length).includes('/'));

function operation(e: Endpoint, path: string, schemas: Json, isLocated: boolean): Json {
  const hoist = hoister(schemas);
  const byStatus = Map.groupBy(errorsOf(e), (code) => e.statuses?.[code] ?? catalogue[code].status);
  return {
    operationId: e.id,
    summary: e.summary,
    ...(e.ifMatch && { description: IF_MATCH }),
    ...(e.scopeOf && { description: ONE_SCOPE }),
    ...(e.successor && { deprecated: true }),
    tags: [tagOf(e.id).name],
    security: e.knowsMember ? [{}, { memberToken: [] }] : SECURITY[e.access],
    'x-required-scopes': e.scopes ?? [],
    ...(e.console && { 'x-console-only': true }),
    ...(e.console && e.console.length > 0 && { 'x-console-roles': e.console }),
    ...(isManaged(e) && { 'x-agent-policy': policyOf(e) }),
    ...(typeof e.agent === 'object' && { 'x-agent-condition': e.agent.condition }),
    ...(e.approver && { 'x-agent-approver': e.approver }),
    parameters: parametersOf(e, path, hoist),
    ...requestOf(e, hoist),
    responses: {
      ...success(e, hoist, isLocated),
      ...Object.fromEntries([...byStatus].map(([status, codes]) => [String(status), failure(e, codes, hoist)])),
    },
  };
}

type Hoist = (node: unknown) => unknown;

function parametersOf(e: Endpoint, path: string, hoist: Hoist): readonly Json[] {
  const query = (e.query ?? {}) as { properties?: Record<string, Json>; required?: string[] };
  return [
    ...[...path.matchAll(/{(\w+)}/g)].map(([, name = '']) => pathParameter(name, e.names?.[name])),
    ...Object.entries(query.properties ?? {}).map(([name, schema]) => ({
      name,
      in: 'query',
      required: (query.required ?? []).includes(name) && !('default' in schema),
      schema: hoist(requestSchema(schema)),
    })),
    ...STORE_HEADERS[e.access],
    ...Object.entries(e.headers ?? {}).map(([name, schema]) => ({
      name,
      in: 'header',
      required: e.checkHeaders !== undefined,
      schema: requestSchema(schema),
    })),
    ...(takesKey(e) ? [{ ...IDEMPOTENCY_KEY, required: e.needsKey === true }] : []),
    ...(isWrite(e) || isPersonal(e) ? [DRY_RUN] : []),
    ...(isForAgents(e) ? [AGENT] : []),
  ];
}

const NO_FIELDS = { type: 'object', properties: {}, additionalProperties: false };
/** A body is required where it has fields; otherwise a POST may send an empty object. */
function requestOf(e: Endpoint, hoist: Hoist): Json {
  if (e.maxFileBytes !== undefined) return { requestBody: { required: true, content: multipart(e) } };
  if (needsBody(e)) return { requestBody: { required: true, content: json(hoist(requestSchema(e.body)), exampleOf(e).request) } };
  return e.route.startsWith('POST') ? { requestBody: { required: false, content: json(NO_FIELDS, {}) } } : {};
}

const shown = (names: readonly (keyof typeof headers)[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
const LIMITED = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const;
const deprecated = (e: Endpoint) => (e.successor ? (['Deprecation', 'Link'] as const) : []);

/** A refusal; with the form of `error.details` where the operation declares one of a code. */
function failureSchema({ details = {} }: Endpoint, codes: readonly ErrorCode[], hoist: Hoist): Json {
  const refused = { $ref: '#/components/schemas/Failure' };
  const documented = codes.flatMap((code) => {
    const schema = details[code];
    const of = (error: Json): Json => ({ properties: { error: { properties: error } } });
    return schema ? [{ anyOf: [{ not: of({ code: { const: code } }) }, of({ details: hoist(responseSchema(schema)) })] }] : [];
  });
  return documented.length === 0 ? refused : { allOf: [refused, ...documented] };
}

function failure(e: Endpoint, codes: readonly ErrorCode[], hoist: Hoist): Json {
  const waits = codes.some((code) => code === 'TOO_MANY_REQUESTS' || code === 'PAYMENT_PROVIDER_UNAVAILABLE')
    ? (['Retry-After'] as const)
    : [];
  return {
    description: codes.join(', '),
    'x-error-codes': codes,
    headers: shown(['X-Request-Id', ...LIMITED, ...waits, ...deprecated(e)]),
    content: json(failureSchema(e, codes, hoist)),
  };
}

function success(e: Endpoint, hoist: Hoist, isLocated: boolean): Json {
  const { response } = exampleOf(e);
  const schema = envelope(hoist(responseSchema(e.data ?? { type: 'null' })));
  const answered = (status: number, description: string) => {
    const meta = { status, code: 'OK', message: '', isSuccess: true, requestId: 'req_0351l683bQYSKrMJPHzMHo' };
    const example = response === undefined ? undefined : { meta, data: response, error: null };
    const names = [
      'X-Request-Id',
      ...LIMITED,
      ...(takesKey(e) ? (['Idempotent-Replayed'] as const) : []),
      ...(isLocated && status === 201 ? (['Location'] as const) : []),
      ...(e.etag ? (['ETag'] as const) : []),
      ...deprecated(e),
    ] as const;
    const content = e.image ? { [e.image]: { schema: { type: 'string' }, example: PICTURE } } : json(schema, example);
    return { [status]: { description, headers: shown(names), content } };
  };
  return { ...answered(e.status ?? 200, 'Success'), ...(e.statusWhenThere && answered(e.statusWhenThere, 'It was there already')) };
}

const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="320" height="120" viewBox="0 0 320 120">…</svg>';
const json = (schema: unknown, example?: unknown): Json => ({ 'application/json': { schema, ...(example !== undefined && { example }) } });
/** A multipart body: text fields and a file. */
function multipart(e: Endpoint): Json {
  const { properties = {}, required = [] } = requestSchema(e.body) as { properties?: Json; required?: string[] };
  const file = { type: 'string', format: 'binary', contentMediaType: 'image/*' };
  const example = { ...(exampleOf(e).request as object | undefined), file: 'image.png' };
  const schema = { type: 'object', required: [...required, 'file'], properties: { ...properties, file }, additionalProperties: false };
  return { 'multipart/form-data': { schema, example } };
}
const envelope = (data: unknown): Json => ({
  type: 'object',
  required: ['meta', 'data'],
  properties: { meta: { $ref: '#/components/schemas/Meta' }, data, error: { type: 'null' } },
});

/** Moves schemas with a title to the components; throws for different schemas of the same title. */
function hoister(schemas: Json) {
  const hoist = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(hoist);
    if (typeof node !== 'object' || node === null) return node;
    const copy: Json = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, hoist(value)]));
    const { title } = copy;
    if (typeof title !== 'string' || copy['type'] !== 'object') return copy;
    const known = schemas[title];
    if (known && JSON.stringify(known) !== JSON.stringify(copy)) throw new Error(`Two schemas are titled ${title}`);
    schemas[title] = copy;
    return { $ref: `#/components/schemas/${title}` };
  };
  return hoist;
}
