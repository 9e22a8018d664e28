/** `/mcp` and what clients read before they log in for it: without the envelope, but for refusals. */
import { Router } from '@koa/router';
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import type { Context } from 'koa';
import { Fault } from '../../domain/kernel/errors.ts';
import { proofOf } from '../callers/bearer.ts';
import { readJson } from '../web/body.ts';
import type { ApiDeps } from '../declare/deps.ts';
import type { Observed } from '../pipeline/dispatch.ts';
import type { Endpoint } from '../declare/endpoint.ts';
import { goneOf } from '../web/gone.ts';
import { countForStore } from '../web/inFlight.ts';
import { inParts } from '../web/streaming.ts';
import { mcpCallerOf } from './caller.ts';
import { meterOf } from '../callers/meter.ts';
import { fail, refusal } from '../web/envelope.ts';
import { METADATA_PATH, resourceMetadata } from './metadata.ts';
import { rpcRefusal } from './protocol.ts';
import { type Connection, Sessions } from './sessions.ts';
import { isStateless, serveStateless } from './stateless.ts';
import { createTools } from './tools.ts';

/** `observe`: sees every answer of the management API. */
export function mcpRoutes(endpoints: readonly Endpoint[], deps: ApiDeps, observe: (observed: Observed) => void): Router {
  const router = new Router({ sensitive: true });
  const tools = createTools(endpoints, deps, observe);
  const sessions = new Sessions(deps, tools);
  router.get(METADATA_PATH, (ctx) => {
    ctx.set('Cache-Control', 'public, max-age=300');
    ctx.body = resourceMetadata(deps.config.publicUrl);
  });
  router.register('/mcp', ['GET', 'POST', 'DELETE'], async (ctx) => {
    const proof = await proofOf(ctx, deps);
    const reauthenticate = () => mcpCallerOf(proof, deps);
    const caller = await reauthenticate().catch((error: unknown) => challenge(ctx, deps, error));
    if (!caller) return;
    countForStore(ctx, caller.storeId, caller.principal);
    const meter = meterOf(ctx);
    meter.addStore(caller.storeId);
    const countMore = (n: number) => meter.more(n);
    const { clientAddress, ip } = ctx.state as Pick<Connection, 'clientAddress' | 'ip'>;
    const connection = { caller, clientAddress, ip, countMore, userAgent: ctx.get('user-agent'), reauthenticate, gone: () => goneOf(ctx) };
    const request = requestOf(ctx, deps);
    const body = ctx.method === 'POST' ? await readJson(ctx).catch(malformed) : undefined;
    const isSingle = ctx.method === 'POST' && isStateless(body, request);
    if (isForeign(ctx, deps)) send(ctx, rpcRefusal(403, -32_000, 'The Origin is not ours'));
    else if (body instanceof Response) send(ctx, body);
    else
      send(ctx, isSingle ? await serveStateless(request, body, tools, connection, deps) : await sessions.serve(request, body, connection));
  });
  return router;
}

/** RFC 9728 § 5.1: where a client reads how to log in. */
function challenge(ctx: Context, { config }: ApiDeps, error: unknown): null {
  if (!(error instanceof Fault) || error.code !== 'UNAUTHORIZED') throw error;
  fail(ctx, refusal(error));
  ctx.set('WWW-Authenticate', `Bearer resource_metadata="${config.publicUrl}${METADATA_PATH}"`);
  return null;
}

/** A page of another site in a browser; clients that are no browsers send no Origin. */
const isForeign = (ctx: Context, { config }: ApiDeps): boolean => {
  const origin = ctx.get('origin');
  return origin !== '' && ![config.publicUrl, config.mail.consoleUrl].some((ours) => new URL(ours).origin === origin);
};

function malformed(error: unknown): Response {
  if (!(error instanceof Fault) || error.code !== 'VALIDATION_FAILED') throw error;
  return rpcRefusal(400, ErrorCode.ParseError, error.extra.fieldErrors?.[0]?.message ?? 'The body is no JSON');
}

/** Without its body, which was read. */
function requestOf(ctx: Context, { config }: ApiDeps): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(ctx.req.headers)) if (value !== undefined) headers.set(name, String(value));
  return new Request(new URL('/mcp', config.publicUrl), { method: ctx.method, headers });
}

/** Node sets what belongs to the connection. */
const OF_CONNECTION: ReadonlySet<string> = new Set(['connection', 'transfer-encoding', 'content-length']);
function send(ctx: Context, { status, headers, body }: Response): void {
  ctx.status = status;
  for (const [name, value] of headers) if (!OF_CONNECTION.has(name)) ctx.set(name, value);
  ctx.set('Cache-Control', 'no-store');
  ctx.body = body ? inParts(ctx, body) : null;
  // Koa answers an empty body with 204.
  ctx.status = status;
  // A stream may be silent for long: its client hears at once that it is there.
  if (headers.get('content-type') === 'text/event-stream') ctx.flushHeaders();
}
