/** The Koa application: used by main.ts and by tests. */
import { createHash } from 'node:crypto';
import { Router } from '@koa/router';
import { SpanStatusCode } from '@opentelemetry/api';
import Koa from 'koa';
import helmet from 'koa-helmet';
import { stringify } from 'yaml';
import { newId } from '../db/kernel/clock.ts';
import { httpRequests } from '../db/kernel/metrics.ts';
import { serverSpan } from '../db/kernel/tracing.ts';
import { recordDispatched, recordRequests } from './apiRequestLogs/record.ts';
import type { Recorder } from './apiRequestLogs/recorder.ts';
import { endpoints } from './endpoints.ts';
import { openStorefront } from './web/crossOrigin.ts';
import { healthRoutes } from './web/health.ts';
import { identityRoutes, oauthRefusals } from './identity/routes.ts';
import type { ApiDeps } from './declare/deps.ts';
import { addressed } from './web/methods.ts';
import { mount } from './pipeline/mount.ts';
import { nameSuccessors } from './web/successors.ts';
import { eventsSchema } from '../domain/webhooks/payloads.ts';
import { EVENT_TYPES } from '../domain/webhooks/rules.ts';
import { openapi, type Surface } from './documents/openapi.ts';
import { asFault, fail, refusal } from './web/envelope.ts';
import type { Statuses } from './declare/endpoint.ts';
import { docsRoutes } from './documents/docs.ts';
import { limitDocuments, limitRate } from './callers/rateLimit.ts';
import { sendBounded } from './web/sending.ts';
import { mcpRoutes } from './mcp/routes.ts';
import { notificationRoutes } from './notifications/routes.ts';
import { payRefusals, payRoutes } from './pay/routes.ts';
import { uploadRoutes } from './uploads/routes.ts';

const valueRoutes = new Set(endpoints.filter(({ endsInValue }) => endsInValue).map(({ id }) => id));

/** `recorder`: of the stores' request logs; null: none is written. */
export function buildApp(deps: ApiDeps, recorder: Recorder | null): Koa {
  const app = new Koa({ proxy: false });
  const operations = mount(endpoints, deps);
  app.on('error', (error: unknown) => {
    // Anybody may hang up as often as they like.
    if (isHangUp(error)) deps.log.debug({ code: (error as { code: unknown }).code }, 'a client hung up');
    else deps.log.warn({ err: error }, 'a reply could not be sent');
  });
  app.use(traced);
  app.use(identify(deps));
  if (recorder) app.use(recordRequests(recorder, operations, deps));
  app.use(sendBounded());
  app.use(helmet({ contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } } }));
  app.use(openStorefront(endpoints));
  app.use(envelope(deps));
  const limit = limitDocuments(deps);
  const unlimited = [documentRoutes(limit), docsRoutes(limit), healthRoutes(deps)];
  const limited = [
    identityRoutes(deps),
    mcpRoutes(endpoints, deps, recorder ? recordDispatched(recorder) : () => {}),
    payRoutes(deps),
    notificationRoutes(deps),
    uploadRoutes(deps),
    operations,
  ];
  for (const router of unlimited) app.use(router.routes());
  app.use(unstored);
  // All other requests count against the limit, also those with an unknown path.
  app.use(oauthRefusals(deps));
  app.use(payRefusals);
  app.use(nameSuccessors(endpoints, operations));
  app.use(limitRate(deps));
  app.use(addressed([...unlimited, ...limited], valueRoutes));
  for (const router of limited) app.use(router.routes());
  return app;
}

/** Codes of Node where a client closes its connection, or breaks off its request. */
const HANG_UP = /^(?:ECONNRESET|EPIPE|ECONNABORTED|ERR_STREAM_(?:PREMATURE_CLOSE|DESTROYED)|HPE_\w+)$/;
const isHangUp = (error: unknown): boolean => HANG_UP.test(String((error as { code?: unknown } | null)?.code));

/** No cache keeps an answer whose route does not say otherwise: operations by `isPublic`, files and keys by themselves. */
const unstored: Koa.Middleware = (ctx, next) => {
  ctx.set('Cache-Control', 'no-store');
  return next();
};

/** One span per request, named after its route; the trace continues in runs and activities. */
const traced: Koa.Middleware = (ctx, next) =>
  serverSpan(ctx.get('traceparent') || null, async (span) => {
    await next();
    const { method, status } = ctx;
    const route = routeOf(ctx);
    span.updateName(`${method} ${route}`);
    span.setAttributes({
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      'sangjeom.request_id': String(ctx.state['requestId']),
      'sangjeom.store_id': String(ctx.state['storeId'] ?? ''),
    });
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  });
const routeOf = (ctx: Koa.Context): string => (typeof ctx['_matchedRoute'] === 'string' ? ctx['_matchedRoute'] : 'unmatched');

/** Gives every request an id and logs one line per response: ids, no bodies, no headers, no personal data. */
const identify =
  ({ log, clock }: ApiDeps): Koa.Middleware =>
  async (ctx, next) => {
    const began = clock.now();
    const requestId = newId('req', began);
    ctx.state['requestId'] = requestId;
    ctx.set('X-Request-Id', requestId);
    await next();
    const { method, status } = ctx;
    const route = routeOf(ctx);
    httpRequests.observe({ method, route, status }, (clock.now() - began) / 1000);
    log.info(
      {
        requestId,
        storeId: ctx.state['storeId'] as unknown,
        method,
        route,
        status,
        ms: clock.now() - began,
      },
      'request',
    );
  };

const envelope =
  ({ log }: ApiDeps): Koa.Middleware =>
  async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      fail(ctx, refusal(asFault(error, log, String(ctx.state['requestId'])), ctx.state['statuses'] as Statuses | undefined));
    }
  };

/** Former paths of the documents. */
const MOVED = [
  ['/api-docs', 301, '/docs'],
  ...['json', 'yaml'].flatMap((form) => [
    [`/openapi.${form}`, 308, `/openapi/store.${form}`] as const,
    [`/v1/openapi.${form}`, 308, `/openapi/store.${form}`] as const,
    [`/storefront/v1/openapi.${form}`, 308, `/openapi/storefront.${form}`] as const,
  ]),
] as const;

/** The result of the first call, for every call. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

interface Encoded {
  readonly bytes: Buffer;
  readonly tag: string;
}
function encoded(text: string): Encoded {
  const bytes = Buffer.from(text);
  return { bytes, tag: createHash('sha256').update(bytes).digest('base64url') };
}
function send(ctx: Koa.Context, type: string, { bytes, tag }: Encoded): void {
  ctx.status = 200;
  ctx.etag = tag;
  ctx.type = type;
  if (ctx.fresh) ctx.status = 304;
  else ctx.body = bytes;
}

/** The documents cannot change while the process runs. */
function documentRoutes(limit: Koa.Middleware): Router {
  const router = new Router({ sensitive: true });
  router.use(limit);
  for (const [from, status, to] of MOVED)
    router.get(from, (ctx) => {
      ctx.redirect(to);
      ctx.status = status;
    });
  const documents: readonly (readonly [string, () => object])[] = [
    ...(['store', 'storefront'] satisfies Surface[]).map((surface) => [surface, () => openapi(surface, endpoints)] as const),
    ['events', () => eventsSchema(EVENT_TYPES)],
  ];
  for (const [name, build] of documents) {
    // Made when they are first asked for: a quarter of a start's work otherwise.
    const document = once(build);
    // Two megabytes: encoded once, and not sent to who has them.
    const json = once(() => encoded(JSON.stringify(document())));
    const yaml = once(() => encoded(stringify(document(), { aliasDuplicateObjects: false })));
    router.get(`/openapi/${name}.json`, (ctx) => send(ctx, 'application/json', json()));
    router.get(`/openapi/${name}.yaml`, (ctx) => send(ctx, 'application/yaml', yaml()));
  }
  return router;
}
