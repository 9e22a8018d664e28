import type { Router } from '@koa/router';
import type { Context, Middleware } from 'koa';
import { isManagement } from '../web/aliases.ts';
import type { StoreCaller } from '../callers/authenticate.ts';
import type { Proof } from '../callers/bearer.ts';
import type { Observed } from '../pipeline/dispatch.ts';
import type { ApiDeps } from '../declare/deps.ts';
import { isOurs } from './attribution.ts';
import type { LoggedRequest, Recorder } from './recorder.ts';

const MAX_PATH = 500;
const MAX_USER_AGENT = 300;
/** Longer than any id of a store. */
const MAX_NAMED = 65;

/** Control, format and private-use characters. */
const INVISIBLE = /\p{C}/gu;
/** A copy without invisible characters; a copy, because a part of a string would hold the whole of it, with its query, in memory. */
const textOf = (text: string, max: number): string => Buffer.from(text.slice(0, max).replaceAll(INVISIBLE, '\ufffd')).toString();

/**
 * Hands every answered management request to the recorder. Not those that belong to no store: without a token that is or was ours, or with
 * one of another store than the named one. `router`: names the operation of a request that was refused before it was routed.
 */
export const recordRequests =
  (recorder: Recorder, router: Router, { clock }: ApiDeps): Middleware =>
  async (ctx, next) => {
    if (!isManagement(ctx.path)) {
      await next();
      return;
    }
    const [receivedAt, began] = [clock.now(), performance.now()];
    await next();
    const durationMs = Math.round(performance.now() - began);
    const by = ctx.state['errorCode'] === 'TENANT_MISMATCH' ? null : await byOf(ctx);
    if (by) recorder.add({ request: { ...requestOf(ctx, router), receivedAt, durationMs }, by });
  };

/** The same for requests that came through `/mcp`, each of which is one of the management API. */
export const recordDispatched =
  (recorder: Recorder) =>
  ({ sender: { caller, ip, userAgent }, path, ...request }: Observed): void =>
    recorder.add({
      request: { ...request, path: textOf(path, MAX_PATH), ip, userAgent: userAgent === '' ? null : textOf(userAgent, MAX_USER_AGENT) },
      by: { storeId: caller.storeId, at: caller.at, actor: caller.actor },
    });

async function byOf(ctx: Context): Promise<LoggedRequest['by'] | null> {
  const caller = ctx.state['storeCaller'] as StoreCaller | undefined;
  const isRefused = ctx.status === 401;
  if (caller) return { storeId: caller.storeId, at: caller.at, actor: isRefused ? null : caller.actor };
  // Settled already: the rate limit waited for it. It fails in an outage, and is not there for what the limit refused unread.
  const proof = await (ctx.state['proof'] as Promise<Proof> | undefined)?.catch(() => null);
  return proof && isOurs(proof) ? { proof, named: textOf(ctx.get('x-store-id'), MAX_NAMED), isRefused } : null;
}

function requestOf(ctx: Context, router: Router): Omit<LoggedRequest['request'], 'receivedAt' | 'durationMs'> {
  const { method, path, status: statusCode } = ctx;
  const operationId = ctx['_matchedRouteName'] ?? router.match(path, method).pathAndMethod[0]?.name;
  const userAgent = ctx.get('user-agent');
  return {
    requestId: String(ctx.state['requestId']),
    method,
    path: textOf(path, MAX_PATH),
    operationId: typeof operationId === 'string' ? operationId : null,
    statusCode,
    errorCode: (ctx.state['errorCode'] as string | undefined) ?? null,
    ip: (ctx.state['ip'] as string | null | undefined) ?? null,
    userAgent: userAgent === '' ? null : textOf(userAgent, MAX_USER_AGENT),
  };
}
