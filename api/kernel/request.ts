/** The input of a request: path parameters, query, body and file, validated against the declaration of the operation. */
import { parse } from 'node:querystring';
import type { RouterContext } from '@koa/router';
import { Fault, type FieldError } from '../../domain/kernel/errors.ts';
import { bodyOf, NO_BODY, NO_FIELDS } from './body.ts';
import { needsBody } from './openapi.ts';
import type { ApiDeps } from './deps.ts';
import type { Caller, Endpoint } from './endpoint.ts';
import { pagingProblems } from './schema.ts';
import type { UploadedFile } from './upload.ts';
import { type Validated, createValidator, textErrors } from './validate.ts';

export interface RequestInput {
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
  readonly file: UploadedFile | null;
}
interface ReadRequest extends RequestInput {
  readonly validated: { readonly query: Validated | undefined; readonly body: Validated };
  readonly isBodyMissing: boolean;
}

export type RequestReader = (ctx: RouterContext) => Promise<ReadRequest>;

/** Reads and validates requests of an operation; its schemas are compiled on first use. */
export function createRequestReader(endpoint: Endpoint): RequestReader {
  const validateQuery = endpoint.query && createValidator(endpoint.query, 'text');
  const validateBody = createValidator(endpoint.body ?? NO_FIELDS, 'json');
  return async (ctx) => {
    const { sent, file } = await bodyOf(ctx, endpoint);
    // A missing body is validated as an empty object, so that its missing fields are named.
    const given = sent === undefined ? {} : sent;
    // maxKeys 0: no limit, so that a known parameter after a thousand others is not ignored.
    const query = validateQuery?.(parse(ctx.querystring, '&', '=', { maxKeys: 0 }));
    return {
      params: ctx.params,
      query: query?.value ?? {},
      body: endpoint.body ? given : undefined,
      file,
      validated: { query, body: validateBody(given) },
      isBodyMissing: sent === undefined && needsBody(endpoint),
    };
  };
}

/** All field errors. The operation's own `check` gets only what fits the schema, so that one pass reports everything (X6). */
export async function problemsOf(
  { params, validated, isBodyMissing }: ReadRequest,
  endpoint: Endpoint,
  deps: ApiDeps,
  caller: Caller,
): Promise<FieldError[]> {
  const { query, body } = validated;
  const checked = endpoint.check && body.fitting ? await endpoint.check(body.fitting, deps, caller) : [];
  const found = [
    ...Object.entries(params).flatMap(([name, value]) => (isLongId(name, value) ? [] : textErrors(value, name))),
    ...(query ? [...query.fieldErrors, ...pagingProblems(query.fitting ?? {})] : []),
    ...body.fieldErrors,
    ...checked,
  ];
  return found.length === 0 && isBodyMissing ? [NO_BODY] : found;
}

/** The length of our longest ids. */
const LONGEST_ID = 64;
const isLongId = (name: string, value: string) => name.endsWith('Id') && value.length > LONGEST_ID;

/** An id in the path that is longer than any of ours does not exist: the operation's 404, without a lookup or a use of a limit (X22). */
export function checkIds({ errors = [] }: Endpoint, params: RequestInput['params']): void {
  const name = Object.keys(params).find((one) => isLongId(one, params[one]!));
  if (name === undefined) return;
  const thing = name.slice(0, -'Id'.length).replaceAll(/[A-Z]/g, (letter) => `_${letter}`);
  const unknown = errors.filter((code) => code.endsWith('_NOT_FOUND'));
  throw new Fault(unknown.find((code) => code.endsWith(`${thing.toUpperCase()}_NOT_FOUND`)) ?? unknown[0] ?? 'NOT_FOUND');
}
