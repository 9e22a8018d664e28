/** Who is asking. A role or scope refusal comes before bodies are looked at (D68). */
import type { RouterContext } from '@koa/router';
import { findSession } from '../../db/identity/store.ts';
import { inStore, REQUEST } from '../../db/orm.ts';
import { findTenant, type Tenant } from '../../db/stores/store.ts';
import { Fault } from '../../workflows/kernel/errors.ts';
import type { ApiDeps } from './deps.ts';
import type { Access, Caller, Endpoint } from './endpoint.ts';
import { covers } from './scopes.ts';

type Authenticated = Pick<Caller, 'storeId' | 'sandbox' | 'principal' | 'sessionId' | 'at' | 'realNow'>;

/** One way in for each `access`; all of them end in a store and a principal. */
const ways: Readonly<Record<Access, (ctx: RouterContext, endpoint: Endpoint, deps: ApiDeps) => Promise<Authenticated>>> = {
  store: byStoreToken,
  buyer: byGuestSession,
  shop: byStoreCode,
  payment: byPaymentId,
};
export const authenticate = (ctx: RouterContext, endpoint: Endpoint, deps: ApiDeps): Promise<Authenticated> =>
  ways[endpoint.access](ctx, endpoint, deps);

async function byStoreToken(ctx: RouterContext, endpoint: Endpoint, deps: ApiDeps): Promise<Authenticated> {
  const [, token] = /^Bearer ([\w.~+/=-]+)$/i.exec(ctx.get('authorization')) ?? [];
  const realNow = deps.clock.now();
  const claims = token === undefined ? null : await deps.keys.verify(token, realNow);
  // One status read per request, no cache: a deactivated client's tokens are dead at once on every process.
  const tenant = claims && (await findTenant(deps.orm.em.fork(), 'lookup_client', claims.clientId));
  if (!claims || !tenant || tenant.status !== 'ACTIVE' || tenant.storeId !== claims.storeId) throw new Fault('UNAUTHORIZED');
  const named = ctx.get('x-store-id');
  if (named !== '' && named !== tenant.storeId) throw new Fault('TENANT_MISMATCH');
  const missing = (endpoint.scopes ?? []).filter((scope) => !covers(claims.scopes, scope));
  if (missing.length > 0) throw new Fault('INSUFFICIENT_SCOPE', { details: { required: missing } });
  return as(tenant, claims.clientId, null, realNow);
}

async function byStoreCode(ctx: RouterContext, _: Endpoint, deps: ApiDeps): Promise<Authenticated> {
  const code = ctx.get('x-store-code');
  if (code === '') throw new Fault('STORE_REQUIRED');
  const tenant = /^[\w-]{1,64}$/.test(code) ? await findTenant(deps.orm.em.fork(), 'lookup_store', code) : null;
  if (!tenant) throw new Fault('STORE_NOT_FOUND');
  return as(tenant, `shop/${ctx.ip}`, null, deps.clock.now());
}

async function byGuestSession(ctx: RouterContext, endpoint: Endpoint, deps: ApiDeps): Promise<Authenticated> {
  const shop = await byStoreCode(ctx, endpoint, deps);
  const token = ctx.get('x-cart-token');
  const sessionId = /^[\w-]{20,100}$/.test(token)
    ? await inStore(deps.orm, shop.storeId, REQUEST, (em) => findSession(em, shop.storeId, token, shop.at))
    : null;
  if (sessionId === null) throw new Fault('UNAUTHORIZED');
  return { ...shop, principal: sessionId, sessionId };
}

/** A payment asked for through another store's code is not there (D39). */
async function byPaymentId(ctx: RouterContext, _: Endpoint, deps: ApiDeps): Promise<Authenticated> {
  const paymentId = String(ctx.params['paymentId']);
  const tenant = /^\w{36}$/.test(paymentId) ? await findTenant(deps.orm.em.fork(), 'lookup_payment', paymentId) : null;
  if (!tenant) throw new Fault('PAYMENT_NOT_FOUND');
  const code = ctx.get('x-store-code');
  if (code !== '') {
    const named = /^[\w-]{1,64}$/.test(code) ? await findTenant(deps.orm.em.fork(), 'lookup_store', code) : null;
    if (named?.storeId !== tenant.storeId) throw new Fault('PAYMENT_NOT_FOUND');
  }
  return as(tenant, paymentId, null, deps.clock.now());
}

const as = ({ storeId, sandbox, clockOffsetMs }: Tenant, principal: string, sessionId: string | null, realNow: number): Authenticated => ({
  storeId,
  sandbox,
  principal,
  sessionId,
  at: realNow + clockOffsetMs,
  realNow,
});
