/**
 * The only code that joins Koa and endpoints. The order is fixed:
 * request id → rate limit → authenticate → scope → denied to agents → validate → idempotency → handle → agent policy → envelope.
 */
import { Router, type RouterContext } from '@koa/router';
import { extendSession } from '../../db/identity/sessions.ts';
import { failpoint } from '../../db/kernel/failpoint.ts';
import { isLockTimeout } from '../../db/kernel/outage.ts';
import { announceCommit, inTenant, REQUEST } from '../../db/kernel/tx.ts';
import {
  reserveOperation,
  completeOperation,
  type OperationKey,
  type StoredReply,
  storedReply,
  storeReply,
} from '../../db/runs/operations.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { checkDenied, changeWithPolicy, deniedCommands, policyOf } from './agents.ts';
import { authenticate } from './authenticate.ts';
import { type RequestInput, checkIds, problemsOf, type RequestReader, createRequestReader } from './request.ts';
import { createCommands } from './commands.ts';
import type { ApiDeps } from './deps.ts';
import type { Caller, Endpoint } from './endpoint.ts';
import { sealReply, operationOf, replyLocation, reveal, sentKey, subjectOf } from './idempotency.ts';
import { errorsOf } from './openapi.ts';
import { passwordCalls } from './passwords.ts';
import { fail, type ErrorReply, refusal, succeed } from './reply.ts';
import { checker } from './validate.ts';

/** A request that has passed every check. */
interface Request {
  readonly ctx: RouterContext;
  readonly endpoint: Endpoint;
  readonly deps: ApiDeps;
  readonly caller: Caller;
  readonly input: RequestInput;
  readonly operation: OperationKey;
  /** The client sent an Idempotency-Key to an operation that takes one. */
  readonly keyed: boolean;
}
const DUPLICATE_WAIT_MS = 5000;

/** Registers the routes of operations. Paths without the prefix are aliases (D1). */
export function mount(endpoints: readonly Endpoint[], deps: ApiDeps): Router {
  const router = new Router();
  for (const endpoint of endpoints) {
    const [method = '', path = ''] = endpoint.route.split(' ');
    const read = createRequestReader(endpoint);
    const reply = deps.config.checkReplies && endpoint.data ? checker(endpoint.data, 'json') : undefined;
    const handler = async (ctx: RouterContext) => {
      const work = () => accept(ctx, endpoint, deps, read).then(perform);
      const answer = await (endpoint.verifiesPassword ? inTurn(ctx, read, work) : work()).catch((error: unknown) => {
        throw deps.config.checkReplies ? declared(endpoint, error) : error;
      });
      if (answer.status < 300) {
        const violations = reply?.(JSON.parse(JSON.stringify(answer.body ?? null))) ?? [];
        if (violations.length > 0) throw new Error(`${endpoint.id} strays from its schema: ${JSON.stringify(violations)}`);
        succeed(ctx, answer.status, answer.body);
      } else fail(ctx, { status: answer.status, error: answer.body as ErrorReply['error'] });
    };
    for (const alias of aliases(path)) router.register(alias.replaceAll(/{(\w+)}/g, ':$1'), [method], handler);
  }
  return router;
}

/** In tests, turns a Fault that the operation does not declare into an error. */
const declared = (endpoint: Endpoint, error: unknown): unknown =>
  error instanceof Fault && !errorsOf(endpoint).includes(error.code) ? new Error(`${endpoint.id} does not declare ${error.code}`) : error;

/** A path and its aliases: `/checkout/…` for `/storefront/v1/checkout/…`, `/webhooks` for `/v1/webhooks` (D1). */
const aliases = (path: string): string[] => [
  path,
  ...[
    /^\/storefront\/v1(\/(?:checkout|auth|guest|payments)(?:\/.*)?)$/,
    /^\/v1(\/(?:webhooks|settlements|store\/api-(?:tokens|clients))(?:\/.*)?)$/,
  ].flatMap((short) => short.exec(path)?.[1] ?? []),
];

async function accept(ctx: RouterContext, endpoint: Endpoint, deps: ApiDeps, read: RequestReader): Promise<Request> {
  ctx.state['statuses'] = endpoint.statuses;
  if (endpoint.successor) {
    ctx.set('Deprecation', 'true');
    ctx.set('Link', `<${endpoint.successor}>; rel="successor-version"`);
  }
  const authenticated = await authenticate(ctx, endpoint, deps);
  ctx.state['storeId'] = authenticated.storeId;
  checkDenied(endpoint, authenticated.isAgent);
  const input = await ((ctx.state['input'] as ReturnType<RequestReader> | undefined) ?? read(ctx));
  const { params, query, body, file } = input;
  const caller = callerOf(ctx, authenticated, body);
  const fieldErrors = await problemsOf(input, endpoint, deps, caller);
  const key = endpoint.idempotent ? sentKey(ctx, fieldErrors) : null;
  if (fieldErrors.length > 0) throw new Fault('VALIDATION_FAILED', { fieldErrors });
  checkIds(endpoint, params);
  const sent = file ? { body, file: file.sha256.toString('hex') } : body;
  const operation = operationOf({ ctx, endpoint, caller, body: sent, key }, deps.keyring);
  return {
    ctx,
    endpoint,
    deps,
    caller,
    input: { params, query, body, file },
    operation,
    keyed: key !== null && caller.principal !== caller.requestId,
  };
}

/** The caller of a request. Without a principal the request id is used, so that an idempotency key has no effect (X15). */
function callerOf(ctx: RouterContext, authenticated: Awaited<ReturnType<typeof authenticate>>, body: unknown): Caller {
  const requestId = String(ctx.state['requestId']);
  const principal = authenticated.principal ?? subjectOf(ctx.params, body) ?? requestId;
  return { ...authenticated, principal, requestId, clientAddress: String(ctx.state['clientAddress']) };
}

/**
 * Runs a password operation in its bounded queue (X12), which it enters before any query but after the body has arrived, so that slow
 * senders occupy no slot. An invalid body is reported in its turn, after authentication (D68).
 */
async function inTurn<T>(ctx: RouterContext, read: RequestReader, work: () => Promise<T>): Promise<T> {
  const input = read(ctx);
  ctx.state['input'] = input;
  await Promise.allSettled([input]);
  // A client that has disconnected takes no slot.
  if (ctx.req.socket.destroyed) await input;
  return passwordCalls.run(work);
}

async function perform(request: Request): Promise<StoredReply> {
  const { ctx, endpoint, deps, caller, input } = request;
  const known = request.keyed ? await replayed(request) : null;
  if (known) return known;
  const headerNames: string[] = [];
  const call = {
    ...caller,
    ...input,
    deps,
    setHeader: (name: string, value: string) => {
      headerNames.push(name);
      ctx.set(name, value);
    },
    header: (name: string) => ctx.get(name),
  };
  const prepared = endpoint.prepare ? await endpoint.prepare(call) : undefined;
  try {
    const answer = endpoint.change === 'workflow' ? await command(request, call) : await transact(request, { ...call, prepared });
    return answer;
  } catch (error) {
    // The response to a failure has none of the handler's headers.
    for (const name of headerNames) ctx.remove(name);
    const duplicateReply = request.keyed && error instanceof Fault ? await storeRefusal(request, error) : null;
    if (duplicateReply) return duplicateReply;
    throw error;
  }
}

/** The stored reply of an earlier request with this key, or null. */
async function replayed({ ctx, endpoint, deps, caller, operation }: Request): Promise<StoredReply | null> {
  const stored = await inTenant(deps.orm, caller, REQUEST, (tx) => storedReply(tx, operation));
  if (!stored) return null;
  return replay(ctx, reveal(stored, endpoint.secret === true, deps.keyring, replyLocation(caller.storeId, operation.key)));
}

function replay(ctx: RouterContext, stored: StoredReply): StoredReply {
  ctx.set('Idempotent-Replayed', 'true');
  if (stored.location) ctx.set('Location', stored.location);
  return stored;
}

async function command({ endpoint, deps, caller, operation }: Request, call: object): Promise<StoredReply> {
  const run = endpoint.run as (call: object) => Promise<unknown>;
  const commands = createCommands(deps, caller, operation);
  const needsApproval = caller.isAgent && policyOf(endpoint) !== 'direct';
  const body = await run({ ...call, commands: needsApproval ? deniedCommands(endpoint, commands) : commands });
  return { status: endpoint.status ?? 200, body };
}

/** One transaction: the operation row first, the handler, the reply. A concurrent duplicate waits for the first (D26). */
async function transact(request: Request, call: object): Promise<StoredReply> {
  const { ctx, endpoint, deps, caller, operation, keyed } = request;
  const run = endpoint.run as (call: object) => Promise<unknown>;
  const location = replyLocation(caller.storeId, operation.key);
  const secret = endpoint.secret === true;
  const reserves = keyed && endpoint.change === 'here';
  const end = deps.clock.now() + DUPLICATE_WAIT_MS;
  for (;;) {
    try {
      const answer = await inTenant(deps.orm, caller, REQUEST, async (tx) => {
        const reservation = reserves ? await reserveOperation(tx, operation) : 'new';
        if (reservation !== 'new') return replay(ctx, reveal(reservation, secret, deps.keyring, location));
        if (caller.staleSessionId !== null) await extendSession(tx, caller.staleSessionId);
        const work = () => run({ ...call, tx });
        const change = { endpoint, tx, params: request.input.params, body: request.input.body };
        const body = await (caller.isAgent ? changeWithPolicy(change, work) : work());
        const reply = { status: endpoint.status ?? 200, body, location: ctx.response.get('location') || null };
        if (reserves) await completeOperation(tx, operation, sealReply(reply, secret, deps.keyring, location));
        await tx.em.flush();
        // So that after a 503 the transaction is never committed later.
        if (endpoint.change === 'here') await announceCommit(tx);
        failpoint('request.before-commit');
        return reply;
      });
      failpoint('request.after-commit');
      return answer;
    } catch (error) {
      if (!reserves || !isLockTimeout(error)) throw error;
      if (deps.clock.now() > end) throw new Fault('IDEMPOTENCY_IN_PROGRESS');
    }
  }
}

/**
 * Stores a refusal of the handler, but never 401, 403, 429, validation errors or 5xx (D78). When a concurrent duplicate succeeded
 * meanwhile, returns its reply.
 */
async function storeRefusal(request: Request, fault: Fault): Promise<StoredReply | null> {
  const { deps, caller, endpoint, operation } = request;
  const { status, error: body } = refusal(fault, endpoint.statuses);
  const isStored = (status === 404 || status === 409 || status === 400) && !NOT_STORED.has(fault.code);
  if (!isStored) return null;
  const reply = { status, body };
  await inTenant(deps.orm, caller, REQUEST, (tx) => storeReply(tx, operation, reply));
  const stored = await inTenant(deps.orm, caller, REQUEST, (tx) => storedReply(tx, operation));
  return stored && stored.status < 300 ? replay(request.ctx, stored) : null;
}
const NOT_STORED: ReadonlySet<string> = new Set(['VALIDATION_FAILED', 'IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_IN_PROGRESS']);
