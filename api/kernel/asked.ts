/** What a request asks: its path, query, body and file, read and judged against the declaration of its operation. */
import { parse } from 'node:querystring';
import type { RouterContext } from '@koa/router';
import { Fault, type FieldError } from '../../domain/kernel/errors.ts';
import { bodyOf, NO_BODY, NO_FIELDS } from './body.ts';
import { needsBody } from './openapi.ts';
import type { ApiDeps } from './deps.ts';
import type { Caller, Endpoint } from './endpoint.ts';
import { pagingProblems } from './schema.ts';
import type { UploadedFile } from './upload.ts';
import { type Judged, judge, textErrors } from './validate.ts';

export interface Asked {
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
  readonly file: UploadedFile | null;
}
interface Read extends Asked {
  readonly judged: { readonly query: Judged | undefined; readonly body: Judged };
  readonly isBodyMissing: boolean;
}

export type Reader = (ctx: RouterContext) => Promise<Read>;

/** How requests of an operation are read; its schemas are compiled on first use. */
export function reader(endpoint: Endpoint): Reader {
  const judgeQuery = endpoint.query && judge(endpoint.query, 'text');
  const judgeBody = judge(endpoint.body ?? NO_FIELDS, 'json');
  return async (ctx) => {
    const { sent, file } = await bodyOf(ctx, endpoint);
    // No body is an empty object, so that its missing fields are named.
    const given = sent === undefined ? {} : sent;
    // Every parameter, however many there are: none that is known may hide behind a thousand others.
    const query = judgeQuery?.(parse(ctx.querystring, '&', '=', { maxKeys: 0 }));
    return {
      params: ctx.params,
      query: query?.value ?? {},
      body: endpoint.body ? given : undefined,
      file,
      judged: { query, body: judgeBody(given) },
      isBodyMissing: sent === undefined && needsBody(endpoint),
    };
  };
}

/** Everything that is wrong with it. Checks of our own are given what fits, so what is refused makes no work and hides nothing (X6). */
export async function problemsOf(
  { params, judged, isBodyMissing }: Read,
  endpoint: Endpoint,
  deps: ApiDeps,
  caller: Caller,
): Promise<FieldError[]> {
  const { query, body } = judged;
  const checked = endpoint.check && body.fitting ? await endpoint.check(body.fitting, deps, caller) : [];
  const found = [
    ...Object.entries(params).flatMap(([name, value]) => (isLongId(name, value) ? [] : textErrors(value, name))),
    ...(query ? [...query.fieldErrors, ...pagingProblems(query.fitting ?? {})] : []),
    ...body.fieldErrors,
    ...checked,
  ];
  return found.length === 0 && isBodyMissing ? [NO_BODY] : found;
}

/** No id of ours is longer. */
const LONGEST_ID = 64;
const isLongId = (name: string, value: string) => name.endsWith('Id') && value.length > LONGEST_ID;

/** An id in the path that is longer than any of ours is unknown: the operation's 404 of it, before anything is looked up or counted (X22). */
export function checkIds({ errors = [] }: Endpoint, params: Asked['params']): void {
  const name = Object.keys(params).find((one) => isLongId(one, params[one]!));
  if (name === undefined) return;
  const thing = name.slice(0, -'Id'.length).replaceAll(/[A-Z]/g, (letter) => `_${letter}`);
  const unknown = errors.filter((code) => code.endsWith('_NOT_FOUND'));
  throw new Fault(unknown.find((code) => code.endsWith(`${thing.toUpperCase()}_NOT_FOUND`)) ?? unknown[0] ?? 'NOT_FOUND');
}
