/** The OpenAPI 3.1 documents, read off the endpoints. Titled schemas become components. */
import { catalogue, type ErrorCode } from '../../workflows/kernel/errors.ts';
import type { Access, Endpoint } from './endpoint.ts';
import { examples } from './examples.ts';

type Json = Record<string, unknown>;
export type Surface = 'store' | 'storefront';

export const surfaceOf = (endpoint: Endpoint): Surface =>
  endpoint.access === 'store' || endpoint.access === 'user' ? 'store' : 'storefront';

/** What may happen to any call of that access, besides what the operation declares. */
const COMMON: readonly ErrorCode[] = ['VALIDATION_FAILED', 'TOO_MANY_REQUESTS', 'INTERNAL', 'TEMPORARILY_UNAVAILABLE'];
const BY_ACCESS: Readonly<Record<Access, readonly ErrorCode[]>> = {
  store: ['UNAUTHORIZED', 'STORE_REQUIRED', 'INSUFFICIENT_SCOPE', 'TENANT_MISMATCH'],
  user: ['UNAUTHORIZED'],
  buyer: ['STORE_REQUIRED', 'STORE_NOT_FOUND', 'UNAUTHORIZED'],
  customer: ['STORE_REQUIRED', 'STORE_NOT_FOUND', 'UNAUTHORIZED'],
  shop: ['STORE_REQUIRED', 'STORE_NOT_FOUND'],
  payment: ['PAYMENT_NOT_FOUND'],
};
const SECURITY: Readonly<Record<Access, readonly Json[]>> = {
  store: [{ storeToken: [] }],
  user: [{ userToken: [] }],
  buyer: [{ storeCode: [], cartToken: [] }],
  customer: [{ storeCode: [], memberToken: [] }],
  shop: [{ storeCode: [] }],
  payment: [{}],
};

/** Every code that an operation may answer. */
export function errorsOf(endpoint: Endpoint): readonly ErrorCode[] {
  const body: ErrorCode[] = endpoint.body ? ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] : [];
  const console: ErrorCode[] = endpoint.console ? ['INSUFFICIENT_ROLE'] : [];
  const keys: ErrorCode[] = endpoint.idempotent ? ['IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_IN_PROGRESS'] : [];
  return [...new Set([...COMMON, ...BY_ACCESS[endpoint.access], ...body, ...console, ...keys, ...(endpoint.errors ?? [])])];
}

export function openapi(surface: Surface, endpoints: readonly Endpoint[]): Json {
  const schemas: Json = {};
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints.filter((e) => surfaceOf(e) === surface)) {
    const [method = '', path = ''] = endpoint.route.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(endpoint, path, schemas) };
  }
  return {
    openapi: '3.1.1',
    info: { title: surface === 'store' ? 'Sangjeom Store Management API' : 'Sangjeom Storefront API', version: '1.0.0' },
    paths,
    components: { securitySchemes, schemas: { Meta, Failure, ...schemas } },
  };
}

function operation(e: Endpoint, path: string, schemas: Json): Json {
  const hoist = hoister(schemas);
  const query = (e.query ?? {}) as { properties?: Json; required?: string[] };
  const byStatus = Map.groupBy(errorsOf(e), (code) => e.statuses?.[code] ?? catalogue[code].status);
  return {
    operationId: e.id,
    summary: e.summary,
    ...(e.successor && { deprecated: true }),
    tags: [e.id.slice(0, e.id.indexOf('.'))],
    security: SECURITY[e.access],
    ...(e.access === 'store' && { 'x-required-scopes': e.scopes ?? [] }),
    ...(e.console && { 'x-console-only': e.console }),
    ...(e.change !== 'none' && { 'x-agent-policy': e.agent ?? 'denied' }),
    parameters: [
      ...[...path.matchAll(/{(\w+)}/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
      ...Object.entries(query.properties ?? {}).map(([name, schema]) => ({ name, in: 'query', required: false, schema: hoist(schema) })),
      ...(e.idempotent
        ? [{ name: 'Idempotency-Key', in: 'header', required: false, schema: { type: 'string', minLength: 1, maxLength: 255 } }]
        : []),
    ],
    ...(e.body && {
      requestBody: { required: true, content: e.file === undefined ? json(hoist(e.body), examples[e.id]?.request) : multipart(e) },
    }),
    responses: {
      ...(succeeds(e) && success(e, hoist)),
      ...Object.fromEntries(
        [...byStatus].map(([status, codes]) => [
          String(status),
          { description: codes.join(', '), content: json({ $ref: '#/components/schemas/Failure' }) },
        ]),
      ),
    },
  };
}

/** An operation of which nothing is left but its refusals has no success to describe. */
export const succeeds = ({ data }: Endpoint): boolean => !(data && 'not' in data);

function success(e: Endpoint, hoist: (node: unknown) => unknown): Json {
  const status = e.status ?? 200;
  const meta = { status, code: 'OK', message: '', isSuccess: true, requestId: 'req_0351l683bQYSKrMJPHzMHo' };
  const example = { meta, data: examples[e.id]?.response ?? null, error: null };
  return { [status]: { description: 'Success', content: json(envelope(hoist(e.data ?? { type: 'null' })), example) } };
}

const json = (schema: unknown, example?: unknown): Json => ({ 'application/json': { schema, ...(example !== undefined && { example }) } });
/** Text fields and a file. */
function multipart({ id, body }: Endpoint): Json {
  const { properties = {}, required = [] } = body as unknown as { properties?: Json; required?: string[] };
  const file = { type: 'string', format: 'binary', contentMediaType: 'image/*' };
  const example = { ...(examples[id]?.request as object | undefined), file: 'image.png' };
  return {
    'multipart/form-data': { schema: { type: 'object', required: [...required, 'file'], properties: { ...properties, file } }, example },
  };
}
const envelope = (data: unknown): Json => ({
  type: 'object',
  required: ['meta', 'data'],
  properties: { meta: { $ref: '#/components/schemas/Meta' }, data, error: { type: 'null' } },
});

/** Moves titled schemas to the components; equal titles must be equal schemas. */
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

const securitySchemes = {
  userToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'A person, before a store is chosen' },
  storeToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'POST /oauth2/token' },
  storeCode: { type: 'apiKey', in: 'header', name: 'X-Store-Code' },
  memberToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'POST /storefront/v1/auth/login' },
  cartToken: { type: 'apiKey', in: 'header', name: 'X-Cart-Token' },
};
const Meta = {
  type: 'object',
  required: ['status', 'code', 'message', 'isSuccess', 'requestId'],
  properties: {
    status: { type: 'integer' },
    code: { type: 'string' },
    message: { type: 'string' },
    isSuccess: { type: 'boolean' },
    requestId: { type: 'string' },
  },
};
const Failure = {
  type: 'object',
  required: ['meta', 'error'],
  properties: {
    meta: { $ref: '#/components/schemas/Meta' },
    data: { type: 'null' },
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { enum: Object.keys(catalogue) },
        message: { type: 'string' },
        details: { type: 'object' },
        fieldErrors: {
          type: 'array',
          items: {
            type: 'object',
            required: ['field', 'code', 'message'],
            properties: { field: { type: 'string' }, code: { type: 'string' }, message: { type: 'string' } },
          },
        },
      },
    },
  },
};
