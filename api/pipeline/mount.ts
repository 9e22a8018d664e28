/**
 * Gives each operation its routes in Koa, and walks its requests through the steps (order.ts). Request id and rate limit come before
 * (api/app.ts).
 */
import type { Router, RouterContext } from '@koa/router';
import { createAcceptor, declared } from './accept.ts';
import { ACCEPT } from './order.ts';
import { aliases } from '../web/aliases.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { authenticate } from '../callers/authenticate.ts';
import { authorize } from '../callers/authorize.ts';
import { bodyOf } from '../web/body.ts';
import type { ApiDeps } from '../declare/deps.ts';
import { goneOf } from '../web/gone.ts';
import type { Endpoint } from '../declare/endpoint.ts';
import { countForStore } from '../web/inFlight.ts';
import { refuseUnread } from '../web/sending.ts';
import { retryAfterOf } from '../web/limits.ts';
import { passwordCalls } from '../callers/passwords.ts';
import { type ErrorReply, fail, show, succeed } from '../web/envelope.ts';
import { IndexedRouter } from '../web/routeIndex.ts';
import type { Content, Incoming } from '../declare/incoming.ts';
import { discard } from '../web/upload.ts';

/** Registers the routes of operations. Paths without the prefix are aliases. */
export function mount(endpoints: readonly Endpoint[], deps: ApiDeps): Router {
  const router = new IndexedRouter({ sensitive: true });
  for (const endpoint of endpoints) {
    const [method = '', path = ''] = endpoint.route.split(' ');
    const acceptor = createAcceptor(endpoint, deps);
    const handler = async (ctx: RouterContext) => {
      const { requestId, clientAddress } = ctx.state;
      const { discardFile, ...incoming } = incomingOf(ctx, endpoint, deps);
      ctx.state['statuses'] = endpoint.statuses;
      const arrived = {
        ...acceptor,
        incoming,
        requestId: String(requestId),
        clientAddress: String(clientAddress),
        authenticate: async () => {
          const caller = await authenticate(ctx, endpoint, deps);
          countForStore(ctx, caller.storeId, endpoint.access === 'store' ? caller.principal : null);
          if (endpoint.isLarge && endpoint.change === 'none') refuseUnread(ctx);
          return caller;
        },
      };
      const work = () => ACCEPT.walk(arrived);
      const answer = await (endpoint.verifiesPassword ? inTurn(ctx, incoming, work) : work())
        .catch((error: unknown) => {
          const wait = retryAfterOf(error);
          if (wait !== null) ctx.set('Retry-After', String(wait));
          throw declared(endpoint, deps, error);
        })
        .finally(discardFile);
      if (endpoint.isPublic && answer.status < 300) ctx.remove('Cache-Control');
      for (const [name, value] of Object.entries(answer.headers)) ctx.set(name, value);
      if (endpoint.image && answer.status < 300) show(ctx, endpoint.image, String(answer.body));
      else if (answer.status < 300) succeed(ctx, answer.status, answer.body, answer.code);
      else fail(ctx, { status: answer.status, error: answer.body as ErrorReply['error'] });
    };
    for (const alias of aliases(path)) router.register(alias.replaceAll(/{(\w+)}/g, ':$1'), [method], handler, { name: endpoint.id });
  }
  for (const endpoint of endpoints) registerOtherValues(router, endpoint, deps);
  return router;
}

/** Other values than those that have operations of their own; registered last, because the router takes the first route that fits. */
function registerOtherValues(router: Router, endpoint: Endpoint, deps: ApiDeps): void {
  const { endsInValue: code, route, id } = endpoint;
  if (!code) return;
  const [method = '', path = ''] = route.split(' ');
  const refuse = async (ctx: RouterContext) => {
    const caller = await authenticate(ctx, endpoint, deps);
    countForStore(ctx, caller.storeId, caller.principal);
    authorize(endpoint, caller);
    throw new Fault(code);
  };
  for (const alias of aliases(path)) router.register(alias.replace(/[^/]+$/, ':value'), [method], refuse, { name: id });
}

/** The request as it arrived; its body is read once. `discardFile`: deletes its file, unless that was stored. */
function incomingOf(ctx: RouterContext, endpoint: Endpoint, deps: ApiDeps): Incoming & { readonly discardFile: () => Promise<void> } {
  let content: Promise<Content> | undefined;
  let gone: AbortSignal | undefined;
  return {
    path: ctx.path,
    params: ctx.params,
    querystring: ctx.querystring,
    header: (name) => (ctx.req.headers[name] === undefined ? undefined : ctx.get(name)),
    content: () => (content ??= bodyOf(ctx, endpoint, deps)),
    gone: () => (gone ??= goneOf(ctx)),
    discardFile: async () => {
      const { file = null } = endpoint.maxFileBytes === undefined || !content ? {} : await content.catch(() => ({ file: null }));
      if (file) await discard(file);
    },
  };
}

/**
 * Runs a password operation in its turn, for which it asks before any query but after the body has arrived, so that slow senders
 * occupy no slot. An invalid body is reported in its turn, after authentication.
 */
async function inTurn<T>(ctx: RouterContext, incoming: Incoming, work: () => Promise<T>): Promise<T> {
  const content = incoming.content();
  await Promise.allSettled([content]);
  // A client that has disconnected takes no slot.
  if (ctx.req.socket.destroyed) await content;
  return passwordCalls.run({ address: String(ctx.state['clientAddress']), store: ctx.get('x-store-code'), gone: incoming.gone() }, work);
}
