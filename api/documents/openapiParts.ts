/** Shared parts of the OpenAPI documents: envelope, security schemes, headers. */
import { catalogue } from '../../domain/kernel/errors.ts';
import { requestSchema, TEXT } from '../declare/documentedSchema.ts';

export const securitySchemes = {
  userToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'A person; where a store is meant, X-Store-Id names it' },
  storeToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'POST /oauth2/token' },
  memberToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'POST /storefront/v1/auth/login' },
  cartToken: { type: 'apiKey', in: 'header', name: 'X-Cart-Token' },
};

const header = (name: string, schema: object, description: string, required = false) => ({
  name,
  in: 'header',
  required,
  schema,
  description,
});
export const STORE_CODE = header(
  'X-Store-Code',
  { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' },
  'The store that the request is for',
  true,
);
export const IDEMPOTENCY_KEY = header(
  'Idempotency-Key',
  { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]([ -~]*[!-~])?$' },
  'Printable ASCII; the same key and request again is answered alike for 24 hours',
);
export const DRY_RUN = header(
  'x-svc-dry-run',
  { type: 'string', enum: ['0', '1'] },
  '1: a dry run. Answers 200 with meta.code DRY_RUN, the decision and what would change; nothing remains',
);
export const AGENT = header(
  'x-svc-agent',
  { type: 'string', minLength: 1, maxLength: 100, pattern: '^[ -~]+$' },
  'Name and version of the AI agent on whose behalf this is sent: its rules then apply to any token',
);
export const ONE_SCOPE = 'One of the scopes is enough to send it; the body decides which one it needs.';
/** The description of If-Match, which is not declared as a parameter: no value of it makes a request invalid. */
export const IF_MATCH = 'With the header If-Match (version tags as ETag has them, or *) another version is PRECONDITION_FAILED.';
/** An id in a path, a longer one does not exist; or a name that the client gives. */
export const pathParameter = (name: string, given?: object) => ({
  name,
  in: 'path',
  required: true,
  schema: given ? requestSchema(given) : { type: 'string', minLength: 1, maxLength: 64, pattern: TEXT },
});

const answerHeader = (schema: object, description: string) => ({ schema, description });
const Count = { type: 'integer', minimum: 0 };
export const headers = {
  'X-Request-Id': answerHeader({ type: 'string' }, 'The requestId of the envelope'),
  'RateLimit-Limit': answerHeader(Count, 'Requests within a minute'),
  'RateLimit-Remaining': answerHeader(Count, 'How many of them are left'),
  'RateLimit-Reset': answerHeader(Count, 'Seconds until the minute ends'),
  'Retry-After': answerHeader(Count, 'Seconds to wait'),
  'Idempotent-Replayed': answerHeader({ enum: ['true'] }, 'Told again from an earlier request with this Idempotency-Key'),
  Location: answerHeader({ type: 'string' }, 'Where what was created can be read'),
  ETag: answerHeader({ type: 'string' }, 'The version that If-Match names'),
  Deprecation: answerHeader({ enum: ['true'] }, 'The operation has been replaced'),
  Link: answerHeader({ type: 'string' }, 'What has replaced it'),
};

export const Meta = {
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
export const Failure = {
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
