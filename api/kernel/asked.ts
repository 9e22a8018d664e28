/** What a request asks: its path, query, body and file, read and judged against the declaration of its operation. */
import { parse } from 'node:querystring';
import type { RouterContext } from '@koa/router';
import { Fault, type FieldError } from '../../workflows/kernel/errors.ts';
import { readJson } from './body.ts';
import type { ApiDeps } from './deps.ts';
import type { Caller, Endpoint } from './endpoint.ts';
import { pagingProblems } from './schema.ts';
import { readMultipart, type UploadedFile } from './upload.ts';
import { type Judged, judge, textErrors } from './validate.ts';

export interface Asked {
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
  readonly file: UploadedFile | null;
}
interface Read extends Asked {
  readonly judged: { readonly query: Judged | undefined; readonly body: Judged | undefined };
}

export type Reader = (ctx: RouterContext) => Promise<Read>;

/** How requests of an operation are read; its schemas are compiled on first use. */
export function reader(endpoint: Endpoint): Reader {
  const judgeQuery = endpoint.query && judge(endpoint.query, 'text');
  const judgeBody = endpoint.body && judge(endpoint.body, 'json');
  return async (ctx) => {
    const { body, file } = await bodyOf(ctx, endpoint);
    // Every parameter, however many there are: none that is known may hide behind a thousand others.
    const query = judgeQuery?.(parse(ctx.querystring, '&', '=', { maxKeys: 0 }));
    return { params: ctx.params, query: query?.value ?? {}, body, file, judged: { query, body: judgeBody?.(body) } };
  };
}

/** JSON, or the text fields of a multipart body with its file; nothing where the operation takes no body. */
async function bodyOf(ctx: RouterContext, endpoint: Endpoint): Promise<{ body: unknown; file: UploadedFile | null }> {
  if (!endpoint.body) return { body: undefined, file: null };
  if (endpoint.file === undefined) return { body: await readJson(ctx), file: null };
  const { fields, file } = await readMultipart(ctx, endpoint.file);
  return { body: fields, file };
}

/** Everything that is wrong with it. Checks of our own are given what fits, so what is refused makes no work and hides nothing (X6). */
export async function problemsOf({ params, judged }: Read, endpoint: Endpoint, deps: ApiDeps, caller: Caller): Promise<FieldError[]> {
  const { query, body } = judged;
  const checked = endpoint.check && body?.fitting ? await endpoint.check(body.fitting, deps, caller) : [];
  return [
    ...Object.entries(params).flatMap(([name, value]) => (isLongId(name, value) ? [] : textErrors(value, name))),
    ...(query ? [...query.fieldErrors, ...pagingProblems(query.fitting ?? {})] : []),
    ...(body?.fieldErrors ?? []),
    ...checked,
  ];
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
