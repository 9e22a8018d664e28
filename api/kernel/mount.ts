/**
 * The only code that knows both Koa and endpoints. The order is fixed:
 * request id → rate limit → authenticate → scope → denied to agents → validate → idempotency → handle → agent policy → envelope.
 */
import { Router, type RouterContext } from '@koa/router';
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
import { checkDenied, judgedChange, judgedCommands, policyOf } from './agents.ts';
import { authenticate } from './authenticate.ts';
import { type Asked, checkIds, problemsOf, type Reader, reader } from './asked.ts';
import { createCommands } from './commands.ts';
import type { ApiDeps } from './deps.ts';
import type { Caller, Endpoint } from './endpoint.ts';
import { sealReply, operationOf, replyPlace, reveal, sentKey, subjectOf } from './idempotency.ts';
import { errorsOf } from './openapi.ts';
import { judgingCalls } from './passwords.ts';
import { fail, type ErrorReply, refusal, succeed } from './reply.ts';
import { checker } from './validate.ts';

/** A request that has passed every check. */
interface Request {
  readonly ctx: RouterContext;
  readonly endpoint: Endpoint;
  readonly deps: ApiDeps;
  readonly caller: Caller;
  readonly asked: Asked;
  readonly operation: OperationKey;
  /** The client sent an Idempotency-Key to an operation that takes one. */
  readonly keyed: boolean;
}
const TWIN_MS = 5000;

/** Turns declarations into routes. Short forms without the prefix are aliases of the same operation (D1). */
export function mount(endpoints: readonly Endpoint[], deps: ApiDeps): Router {
  const router = new Router();
  for (const endpoint of endpoints) {
    const [method = '', path = ''] = endpoint.route.split(' ');
    const read = reader(endpoint);
    const reply = deps.config.checkReplies && endpoint.data ? checker(endpoint.data, 'json') : undefined;
    const handler = async (ctx: RouterContext) => {
      const work = () => accept(ctx, endpoint, deps, read).then(perform);
      const answer = await (endpoint.judgesPassword ? inTurn(ctx, read, work) : work()).catch((error: unknown) => {
        throw deps.config.checkReplies ? declared(endpoint, error) : error;
      });
      if (answer.status < 300) {
        const strays = reply?.(JSON.parse(JSON.stringify(answer.body ?? null))) ?? [];
        if (strays.length > 0) throw new Error(`${endpoint.id} strays from its schema: ${JSON.stringify(strays)}`);
        succeed(ctx, answer.status, answer.body);
      } else fail(ctx, { status: answer.status, error: answer.body as ErrorReply['error'] });
    };
    for (const alias of aliases(path)) router.register(alias.replaceAll(/{(\w+)}/g, ':$1'), [method], handler);
  }
  return router;
}

/** In tests a refusal that its operation does not declare is a bug. */
const declared = (endpoint: Endpoint, error: unknown): unknown =>
  error instanceof Fault && !errorsOf(endpoint).includes(error.code) ? new Error(`${endpoint.id} does not declare ${error.code}`) : error;

/** `/storefront/v1/checkout/…` is also answered as `/checkout/…`, `/v1/webhooks` as `/webhooks` where D1 allows it. */
const aliases = (path: string): string[] => [
  path,
  ...[
    /^\/storefront\/v1(\/(?:checkout|auth|guest|payments)(?:\/.*)?)$/,
    /^\/v1(\/(?:webhooks|settlements|store\/api-(?:tokens|clients))(?:\/.*)?)$/,
  ].flatMap((short) => short.exec(path)?.[1] ?? []),
];

async function accept(ctx: RouterContext, endpoint: Endpoint, deps: ApiDeps, read: Reader): Promise<Request> {
  ctx.state['statuses'] = endpoint.statuses;
  if (endpoint.successor) {
    ctx.set('Deprecation', 'true');
    ctx.set('Link', `<${endpoint.successor}>; rel="successor-version"`);
  }
  const asking = await authenticate(ctx, endpoint, deps);
  ctx.state['storeId'] = asking.storeId;
  checkDenied(endpoint, asking.isAgent);
  const asked = await ((ctx.state['asked'] as ReturnType<Reader> | undefined) ?? read(ctx));
  const { params, query, body, file } = asked;
  const caller = callerOf(ctx, asking, body);
  const fieldErrors = await problemsOf(asked, endpoint, deps, caller);
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
    asked: { params, query, body, file },
    operation,
    keyed: key !== null && caller.principal !== caller.requestId,
  };
}

/** Without an owner a key is worth as much as none: the request stands for itself (X15). */
function callerOf(ctx: RouterContext, asking: Awaited<ReturnType<typeof authenticate>>, body: unknown): Caller {
  const requestId = String(ctx.state['requestId']);
  const principal = asking.principal ?? subjectOf(ctx.params, body) ?? requestId;
  return { ...asking, principal, requestId, clientAddress: String(ctx.state['clientAddress']) };
}

/**
 * Counted as under way before Postgres is asked (X12), but not while the body is on its way: whoever sends slowly holds up nobody.
 * A body that is refused is told when its turn comes, after who may ask at all (D68).
 */
async function inTurn<T>(ctx: RouterContext, read: Reader, work: () => Promise<T>): Promise<T> {
  const asked = read(ctx);
  ctx.state['asked'] = asked;
  await Promise.allSettled([asked]);
  // Whoever has gone waits for no answer, and takes no place.
  if (ctx.req.socket.destroyed) await asked;
  return judgingCalls.run(work);
}

async function perform(request: Request): Promise<StoredReply> {
  const { ctx, endpoint, deps, caller, asked } = request;
  const known = request.keyed ? await replayed(request) : null;
  if (known) return known;
  const told: string[] = [];
  const call = {
    ...caller,
    ...asked,
    deps,
    setHeader: (name: string, value: string) => {
      told.push(name);
      ctx.set(name, value);
    },
    header: (name: string) => ctx.get(name),
  };
  const prepared = endpoint.prepare ? await endpoint.prepare(call) : undefined;
  try {
    const answer = endpoint.change === 'workflow' ? await command(request, call) : await transact(request, { ...call, prepared });
    return answer;
  } catch (error) {
    // What was not done is not told either.
    for (const name of told) ctx.remove(name);
    const twins = request.keyed && error instanceof Fault ? await rememberRefusal(request, error) : null;
    if (twins) return twins;
    throw error;
  }
}

/** What an earlier request with this key was answered. */
async function replayed({ ctx, endpoint, deps, caller, operation }: Request): Promise<StoredReply | null> {
  const stored = await inTenant(deps.orm, caller.storeId, REQUEST, (em) => storedReply(em, caller.storeId, operation, caller.realNow));
  if (!stored) return null;
  return replay(ctx, reveal(stored, endpoint.secret === true, deps.keyring, replyPlace(caller.storeId, operation.key)));
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
  const body = await run({ ...call, commands: needsApproval ? judgedCommands(endpoint, commands) : commands });
  return { status: endpoint.status ?? 200, body };
}

/** One transaction: the operation row first, the handler's work, the reply. A parallel twin waits for the first (D26). */
async function transact(request: Request, call: object): Promise<StoredReply> {
  const { ctx, endpoint, deps, caller, operation, keyed } = request;
  const run = endpoint.run as (call: object) => Promise<unknown>;
  const place = replyPlace(caller.storeId, operation.key);
  const secret = endpoint.secret === true;
  const claims = keyed && endpoint.change === 'here';
  const end = deps.clock.now() + TWIN_MS;
  for (;;) {
    try {
      const answer = await inTenant(deps.orm, caller.storeId, REQUEST, async (em) => {
        const claim = claims ? await reserveOperation(em, caller.storeId, operation, caller.realNow) : 'new';
        if (claim !== 'new') return replay(ctx, reveal(claim, secret, deps.keyring, place));
        const work = () => run({ ...call, em });
        const change = { endpoint, em, storeId: caller.storeId, params: request.asked.params, body: request.asked.body };
        const body = await (caller.isAgent ? judgedChange(change, work) : work());
        const reply = { status: endpoint.status ?? 200, body, location: ctx.response.get('location') || null };
        if (claims) await completeOperation(em, caller.storeId, operation, sealReply(reply, secret, deps.keyring, place));
        await em.flush();
        // A 503 of such an operation comes when its transaction is over: made before the answer, or never.
        if (endpoint.change === 'here') await announceCommit(em);
        failpoint('request.before-commit');
        return reply;
      });
      failpoint('request.after-commit');
      return answer;
    } catch (error) {
      if (!claims || !isLockTimeout(error)) throw error;
      if (deps.clock.now() > end) throw new Fault('IDEMPOTENCY_IN_PROGRESS');
    }
  }
}

/**
 * Refusals of the handler are stored, never 401, 403, 429, validation or 5xx (D78). When a parallel twin was carried
 * out meanwhile, its answer is ours too.
 */
async function rememberRefusal(request: Request, fault: Fault): Promise<StoredReply | null> {
  const { deps, caller, endpoint, operation } = request;
  const { status, error: body } = refusal(fault, endpoint.statuses);
  const isStored = (status === 404 || status === 409 || status === 400) && !NOT_STORED.has(fault.code);
  if (!isStored) return null;
  const reply = { status, body };
  await inTenant(deps.orm, caller.storeId, REQUEST, (em) => storeReply(em, caller.storeId, operation, reply, caller.realNow));
  const kept = await inTenant(deps.orm, caller.storeId, REQUEST, (em) => storedReply(em, caller.storeId, operation, caller.realNow));
  return kept && kept.status < 300 ? replay(request.ctx, kept) : null;
}
const NOT_STORED: ReadonlySet<string> = new Set(['VALIDATION_FAILED', 'IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_IN_PROGRESS']);
