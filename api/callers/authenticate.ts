/** Authentication: who sends a request. */
import type { RouterContext } from '@koa/router';
import type { Context } from 'koa';
import { findCustomer } from '../../db/customers/queries.ts';
import type { FoundPerson } from '../../db/identity/people.ts';
import { findGuest, openSession } from '../../db/identity/sessions.ts';
import { sqlOn } from '../../db/kernel/sql.ts';
import { NO_STORE } from '../../db/kernel/tenancy.ts';
import { inTenant, READ, REQUEST, tenancyOf } from '../../db/kernel/tx.ts';
import { findTenant, type Tenant } from '../../db/stores/queries.ts';
import type { Acting } from '../../domain/identity/actors.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { actorOf } from './actor.ts';
import { type Proof, proofOf } from './bearer.ts';
import { admitPage } from '../web/crossOrigin.ts';
import type { ApiDeps } from '../declare/deps.ts';
import { type Access, type Endpoint } from '../declare/endpoint.ts';
import type { Caller } from '../declare/caller.ts';
import { meterOf } from './meter.ts';
import { findLivePerson, rightsOf, scopesOf, tokenRefOf } from './rights.ts';
import type { Claims, UserClaims } from '../declare/tokens.ts';

/** `principal`: null where it is derived from the request (idempotency.ts). */
export type Authenticated = Omit<Caller, 'requestId' | 'clientAddress' | 'principal'> & { readonly principal: string | null };

/** A caller of the management API: current scopes and role, and how they authenticated. */
export interface StoreCaller extends Authenticated {
  readonly actor: Acting;
}
type Known = Omit<StoreCaller, 'actor'>;
/** What may be a store's code: nothing else is looked up. */
const STORE_CODE = /^[\w-]{1,64}$/;

/** The authentication of each `access`. */
const ways: Readonly<Record<Access, (ctx: RouterContext, endpoint: Endpoint, deps: ApiDeps) => Promise<Authenticated>>> = {
  store: (ctx, _, deps) => byStoreToken(ctx, deps),
  user: byUserToken,
  buyer: byBuyer,
  customer: async (ctx, endpoint, deps) => byCustomer(ctx, await byStoreCode(ctx, endpoint, deps), deps),
  storefront: byVisitor,
  payment: byPaymentId,
};
export const authenticate = (ctx: RouterContext, endpoint: Endpoint, deps: ApiDeps): Promise<Authenticated> =>
  ways[endpoint.access](ctx, endpoint, deps);

/** The caller of this request, which counts for their store; recorded in its state, so that a later refusal is logged as theirs. */
export async function byStoreToken(ctx: Context, deps: ApiDeps): Promise<StoreCaller> {
  const found = await storeCallerOf(await proofOf(ctx, deps), ctx.get('x-store-id'), deps);
  const caller = ctx.req.headers[AGENT_HEADER] === undefined ? found : asAgent(found, ctx.get(AGENT_HEADER));
  ctx.state['storeCaller'] = caller;
  meterOf(ctx).addStore(caller.storeId);
  return caller;
}

/** The header in which an agent names itself. It only adds rules: keys of such requests are apart from the token's other ones. */
export const AGENT_HEADER = 'x-svc-agent';
const asAgent = (caller: StoreCaller, name: string): StoreCaller => ({
  ...caller,
  isAgent: true,
  principal: `${caller.principal ?? ''}/agent`,
  actor: { ...caller.actor, type: 'AGENT', name: AGENT_NAME.test(name) ? name : null },
});
export const AGENT_NAME = /^[\x20-\x7e]{1,100}$/;

/**
 * A store's token, an API token, or a person's token with X-Store-Id (`named`, empty without one), checked against the current state of
 * client, login and role.
 */
export async function storeCallerOf(proof: Proof, named: string, deps: ApiDeps): Promise<StoreCaller> {
  const { claims, apiToken } = proof;
  const realNow = deps.clock.now();
  const caller = apiToken ? byApiToken(apiToken, realNow) : await bySignedToken(claims, named, deps, realNow);
  if (named !== '' && named !== caller.storeId) throw new Fault('TENANT_MISMATCH');
  const actor = actorOf(proof);
  if (!actor) throw new Fault('UNAUTHORIZED');
  return { ...caller, actor, tokenRef: tokenRefOf(proof) };
}

async function bySignedToken(claims: Claims | null, named: string, deps: ApiDeps, realNow: number): Promise<Known> {
  const ref = tokenRefOf({ claims, apiToken: null });
  if (!claims || claims.use === 'member' || ref.kind === 'apiToken') throw new Fault('UNAUTHORIZED');
  // An invalid token is UNAUTHORIZED before anything about stores.
  if (claims.use === 'user' && named === '') throw new Fault((await findActiveLogin(claims, deps)) ? 'STORE_REQUIRED' : 'UNAUTHORIZED');
  const rights = await rightsOf(ref, claims.use === 'user' ? named : claims.storeId, deps);
  // With X-Store-Id, a store without membership and an unknown store are TENANT_MISMATCH alike. After a token exchange the membership
  // has ended since: UNAUTHORIZED.
  if (typeof rights === 'string') throw new Fault(rights === 'FOREIGN' && claims.use === 'user' ? 'TENANT_MISMATCH' : 'UNAUTHORIZED');
  const { tenant, scopes, role } = rights;
  const person = claims.use === 'user' ? claims : claims.person;
  return { ...callerOf(tenant, person?.userId ?? claims.clientId, null, realNow), tokenOrigin: claims.origin, scopes, role, person };
}

/** The login of a person's token before a store is chosen; null when login or client are revoked. */
export const findActiveLogin = (claims: UserClaims, deps: ApiDeps): Promise<FoundPerson | null> => findLivePerson(claims, '', deps);

/** The scopes of an API token are limited by its issuer's current role. */
function byApiToken(found: NonNullable<Proof['apiToken']>, realNow: number): Known {
  return {
    ...callerOf(found.tenant, found.purpose === 'agent' ? found.tokenId : found.userId, null, realNow),
    tokenOrigin: found.purpose === 'agent' ? 'agent' : 'token',
    isAgent: found.purpose === 'agent',
    scopes: scopesOf(found, found.role),
    role: null,
    person: null,
  };
}

/** A person before a store is chosen. `console`: the login has to be one at the console; roles do not matter. */
async function byUserToken(ctx: Context, endpoint: Endpoint, deps: ApiDeps): Promise<Authenticated> {
  const { claims } = await proofOf(ctx, deps);
  const realNow = deps.clock.now();
  const found = claims?.use === 'user' ? await findActiveLogin(claims, deps) : null;
  if (claims?.use !== 'user' || !found) throw new Fault('UNAUTHORIZED');
  if (endpoint.console && (claims.origin !== 'console' || found.clientStoreId !== null)) throw new Fault('INSUFFICIENT_ROLE');
  const nowhere = { storeId: NO_STORE, status: '', sandbox: false, clockOffsetMs: 0 };
  const isAgent = ctx.req.headers[AGENT_HEADER] !== undefined;
  const actor = actorOf({ claims, apiToken: null });
  return { ...callerOf(nowhere, claims.userId, null, realNow), person: claims, clientStoreId: found.clientStoreId, actor, isAgent };
}

async function byStoreCode(ctx: RouterContext, _: Endpoint, deps: ApiDeps): Promise<Authenticated> {
  const tenant = await findTenant(sqlOn(deps.orm), 'storeCode', storeCodeOf(ctx));
  if (!tenant) throw new Fault('STORE_NOT_FOUND');
  return callerOf(tenant, null, null, deps.clock.now());
}
function storeCodeOf(ctx: RouterContext): string {
  const code = ctx.get('x-store-code');
  if (code === '') throw new Fault('STORE_REQUIRED');
  if (!STORE_CODE.test(code)) throw new Fault('STORE_NOT_FOUND');
  return code;
}

/** Whoever visits the shop; a member by their token, where the operation knows members. */
async function byVisitor(ctx: RouterContext, endpoint: Endpoint, deps: ApiDeps): Promise<Authenticated> {
  const shop = await byStoreCode(ctx, endpoint, deps);
  if (endpoint.crossOrigin) await admitPage(ctx, shop, deps);
  if (!endpoint.knowsMember || ctx.get('authorization') === '') return shop;
  return (await memberOf(ctx, shop, deps)) ?? shop;
}

async function byBuyer(ctx: RouterContext, endpoint: Endpoint, deps: ApiDeps): Promise<Authenticated> {
  return ctx.get('authorization') === ''
    ? byGuestSession(ctx, endpoint, deps)
    : byCustomer(ctx, await byStoreCode(ctx, endpoint, deps), deps);
}

/** A customer's token; invalid when the client that issued it is revoked. */
async function byCustomer(ctx: RouterContext, shop: Authenticated, deps: ApiDeps): Promise<Authenticated> {
  const member = await memberOf(ctx, shop, deps);
  if (!member) throw new Fault('UNAUTHORIZED');
  return member;
}
async function memberOf(ctx: RouterContext, shop: Authenticated, deps: ApiDeps): Promise<Authenticated | null> {
  const { claims } = await proofOf(ctx, deps);
  if (claims?.use !== 'member' || claims.storeId !== shop.storeId) return null;
  const { customerId } = claims;
  const customer = await inTenant(deps.orm, shop, READ, (tx) => findCustomer(tx, claims));
  return customer && { ...shop, principal: customerId, sessionId: customerId, customer };
}

async function byGuestSession(ctx: RouterContext, endpoint: Endpoint, deps: ApiDeps): Promise<Authenticated> {
  const token = ctx.get('x-cart-token');
  if (!/^[\w-]{20,100}$/.test(token)) {
    await byStoreCode(ctx, endpoint, deps);
    throw new Fault('UNAUTHORIZED');
  }
  const realNow = deps.clock.now();
  const guest = await findGuest(sqlOn(deps.orm), storeCodeOf(ctx), token, realNow);
  if (!guest) throw new Fault('STORE_NOT_FOUND');
  const { tenant, sessionId: known, isStale } = guest;
  const shop = callerOf(tenant, known, known, realNow);
  if (known !== null) return { ...shop, staleSessionId: isStale ? known : null };
  if (!endpoint.renewsSession) throw new Fault('UNAUTHORIZED');
  const { sessionId, cartToken } = await inTenant(deps.orm, shop, REQUEST, openSession);
  ctx.set('X-Cart-Token', cartToken);
  return { ...shop, principal: sessionId, sessionId, renewedToken: cartToken };
}

/** By payment id; PAYMENT_NOT_FOUND also with another store's X-Store-Code. */
async function byPaymentId(ctx: RouterContext, _: Endpoint, deps: ApiDeps): Promise<Authenticated> {
  const paymentId = String(ctx.params['paymentId']);
  const tenant = /^\w{36}$/.test(paymentId) ? await findTenant(sqlOn(deps.orm), 'paymentId', paymentId) : null;
  if (!tenant) throw new Fault('PAYMENT_NOT_FOUND');
  if (ctx.req.headers['x-store-code'] !== undefined) {
    const code = ctx.get('x-store-code');
    const named = STORE_CODE.test(code) ? await findTenant(sqlOn(deps.orm), 'storeCode', code) : null;
    if (named?.storeId !== tenant.storeId) throw new Fault('PAYMENT_NOT_FOUND');
  }
  return callerOf(tenant, paymentId, null, deps.clock.now());
}

const callerOf = (
  { storeId, sandbox, clockOffsetMs }: Tenant,
  principal: string | null,
  sessionId: string | null,
  realNow: number,
): Authenticated => ({
  ...tenancyOf(storeId, clockOffsetMs, realNow),
  sandbox,
  principal,
  sessionId,
  scopes: [],
  role: null,
  person: null,
  customer: null,
  renewedToken: null,
  staleSessionId: null,
  clientStoreId: null,
  isAgent: false,
  actor: null,
  tokenOrigin: null,
  tokenRef: null,
});
