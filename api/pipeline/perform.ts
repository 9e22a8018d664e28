/** Carries out a request that has passed every check: the stored reply of its key, a dry run, or its handler in its transaction. */
import { checkQuota } from '../../db/aiActions/queries.ts';
import { inTenant, REQUEST } from '../../db/kernel/tx.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { type AgentDecision, isAlwaysDenied, needsDecision, policyOf, RESERVED } from '../declare/agents.ts';
import { record, targetOf, traceIdOf } from './audit.ts';
import { createCommands } from './commands.ts';
import { isManaged, isPersonal } from '../declare/endpoint.ts';
import { fileUnlessAllowed } from './fileApproval.ts';
import { ofOrder } from './idempotency.ts';
import { beginApproved } from './approved.ts';
import { answeredPreview, deniedPreview, type Judgement, rehearse, Stale } from '../preview/rehearse.ts';
import type { Answer, Outgoing } from '../declare/answer.ts';
import { replayed, storeRefusal } from './replay.ts';
import type { Request } from '../declare/request.ts';
import { countingOf, NotAllowed, transact } from './transact.ts';

const outgoingOf = ({ endpoint }: Request): Outgoing => ({ status: endpoint.status ?? 200, headers: {} });

export async function perform(arrived: Request): Promise<Answer> {
  if (arrived.isDryRun) return dryRun(arrived);
  const { endpoint } = arrived;
  const outgoing = outgoingOf(arrived);
  // A password comes before what its key has stored: without it, a key answers nothing, and nothing is stored under one.
  const proved = endpoint.verifiesPassword
    ? await prepare(
        arrived,
        callOf(arrived, outgoing, (act) => act()),
      )
    : undefined;
  const request = isGuestOrder(arrived, proved) ? ofOrder(arrived, proved) : arrived;
  const call = callOf(request, outgoing, (act) => act());
  const known = request.keyed ? await replayed(request) : null;
  if (known) return known;
  try {
    const waiting = await beforeAgent(request);
    if (waiting) return waiting;
    return await carryOut(request, { ...call, prepared: endpoint.verifiesPassword ? proved : await prepare(request, call) }, outgoing);
  } catch (error) {
    if (error instanceof NotAllowed) return (await fileUnlessAllowed(request, error.judgement))!;
    const duplicateReply = request.keyed && error instanceof Fault ? await storeRefusal(request, error) : null;
    if (duplicateReply) return duplicateReply;
    throw error;
  }
}

/** By commands to runs, or in its own transaction. */
function carryOut(request: Request, input: CallInput & { readonly prepared: unknown }, outgoing: Outgoing): Promise<Answer> {
  if (request.endpoint.change !== 'workflow') return transact(request, input, outgoing);
  return request.execution ? commandApproved(request, input, outgoing) : command(request, input, { outgoing });
}

/** What is proved of an order in the path is its id (guestOrders.ts). */
const isGuestOrder = ({ incoming }: Request, proved: unknown): proved is string =>
  incoming.params['orderId'] !== undefined && typeof proved === 'string';

const prepare = async ({ endpoint }: Request, call: CallInput): Promise<unknown> => endpoint.prepare?.(call);

type Outside = <T>(act: () => Promise<T>, instead: T) => Promise<T>;
const callOf = ({ incoming, deps, caller, input }: Request, outgoing: Outgoing, outside: Outside) => ({
  ...caller,
  ...input,
  deps,
  setHeader: (name: string, value: string) => void (outgoing.headers[name] = value),
  setStatus: (status: number) => void (outgoing.status = status),
  header: (name: string) => incoming.header(name.toLowerCase()) ?? '',
  gone: incoming.gone,
  outside,
});
type CallInput = ReturnType<typeof callOf>;

/** The dry run of a request that has passed every check; refusals are those of the real one. */
export async function rehearsed(request: Request): Promise<Judgement> {
  const { endpoint } = request;
  const call = callOf(request, outgoingOf(request), (_, instead) => Promise.resolve(instead));
  return rehearse(request, call, await endpoint.prepare?.(call));
}

/** 200 DRY_RUN: the decision and what would change; nothing remains (G10 … G13). */
async function dryRun(request: Request): Promise<Answer> {
  const answered = ({ decision, reason }: AgentDecision, preview: object): Answer => ({
    status: 200,
    code: 'DRY_RUN',
    body: { dryRun: true, decision, reason, preview },
    headers: {},
  });
  if (isAlwaysDenied(request.endpoint, request.caller)) {
    await record(request, { outcome: 'DRY_RUN', statusCode: 200 });
    return answered(RESERVED, deniedPreview(request));
  }
  const { decision, difference, preview } = await rehearsed(request);
  await record(request, { outcome: 'DRY_RUN', statusCode: 200, difference });
  return answered(decision, answeredPreview(preview));
}

/**
 * The plan's quota (G39); and a request that may need an approval is tried first: its own refusals come before anybody is bothered (G18).
 * Null: it is carried out.
 */
async function beforeAgent(request: Request): Promise<Answer | null> {
  const { endpoint, deps, caller } = request;
  if (countingOf(request) === 'limited') await inTenant(deps.orm, caller, REQUEST, checkQuota);
  const mayWait = needsDecision(endpoint, caller) && policyOf(endpoint) === 'approval';
  return mayWait ? fileUnlessAllowed(request, await rehearsed(request)) : null;
}

/**
 * An approved request whose change is made by a run: dry-run first, and each of its commands does what it did there, in the transaction of its
 * transition, or is refused. Where one was, the request is shown anew (G51).
 */
async function commandApproved(request: Request, call: CallInput, outgoing: Outgoing): Promise<Answer> {
  const expects = await beginApproved(request, () => rehearsed(request));
  try {
    return await command(request, call, { outgoing, expects });
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'APPROVAL_STALE') throw error;
    throw new Stale((await rehearsed(request)).preview);
  }
}

interface Commanding {
  readonly outgoing: Outgoing;
  readonly expects?: ReadonlyMap<string, string>;
}
/** Commands to runs, whose transitions record the request and count it. */
async function command(request: Request, call: CallInput, { outgoing: { headers }, expects }: Commanding): Promise<Answer> {
  const { endpoint, deps, caller, operation, incoming } = request;
  const run = endpoint.run as (call: object) => Promise<unknown>;
  const status = endpoint.status ?? 200;
  let isRecorded = false;
  const records = {
    aiActions: countingOf(request),
    request:
      isManaged(endpoint) || isPersonal(endpoint)
        ? {
            action: endpoint.id,
            target: targetOf(endpoint, caller, incoming.params),
            statusCode: status,
            traceId: traceIdOf(incoming.header('traceparent'), caller.requestId),
            isPart: false,
          }
        : null,
    idempotencyKey: incoming.header('idempotency-key') ?? null,
    expects,
    onRecorded: () => void (isRecorded = true),
  };
  const body = await run({ ...call, commands: createCommands(deps, caller, operation, records) });
  // A bulk in which nothing succeeded, and what is no command to a run.
  if (!isRecorded) await record(request, { outcome: 'SUCCEEDED', statusCode: status });
  return { status, body, headers };
}
