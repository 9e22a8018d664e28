/** Requests as they arrive, judged by the schemas of their operation. */
import { parse } from 'node:querystring';
import type { FieldError } from '../../domain/kernel/errors.ts';
import { type Endpoint, needsBody } from '../declare/endpoint.ts';
import type { Incoming } from '../declare/incoming.ts';
import { parameterProblems } from '../declare/parameters.ts';
import type { RequestInput } from '../declare/request.ts';
import { Type } from '../declare/schema.ts';
import { inOneForm } from '../validation/textForm.ts';
import { checker, createValidator, type Validated } from '../validation/validate.ts';
import { NO_FIELDS } from '../web/body.ts';

export interface ReadRequest extends RequestInput {
  readonly validated: { readonly names: readonly FieldError[]; readonly query: Validated | undefined; readonly body: Validated };
  /** Problems of parameters that are INVALID_PARAMETER. */
  readonly parameters: readonly FieldError[];
  readonly isBodyMissing: boolean;
}

/** Reads requests of an operation and judges them by its schemas, which are compiled on first use. */
export function createReader(endpoint: Endpoint): (incoming: Incoming) => Promise<ReadRequest> {
  const validateQuery = endpoint.query && createValidator(endpoint.query, 'text');
  const body = endpoint.body ?? NO_FIELDS;
  const validateBody = createValidator(body, 'json');
  const namesOf = endpoint.names && checker(Type.Object(endpoint.names), 'json');
  return async ({ params, querystring, content }) => {
    const { sent, file } = await content();
    // A missing body is validated as an empty object, so that its missing fields are named.
    const given = inOneForm(body, sent === undefined ? {} : sent);
    // maxKeys 0: no limit, so that a known parameter after a thousand others is not ignored.
    const query = validateQuery?.(inOneForm(endpoint.query!, parse(querystring, '&', '=', { maxKeys: 0 })));
    return {
      params,
      query: query?.value ?? {},
      body: endpoint.body ? given : undefined,
      file,
      validated: { names: namesOf?.(params) ?? [], query, body: validateBody(given) },
      parameters: endpoint.query ? parameterProblems(endpoint.query, query?.value ?? {}) : [],
      isBodyMissing: sent === undefined && needsBody(endpoint),
    };
  };
}
