/** The steps of a request that has passed every check, up to its handler (order.ts). */
import { checkQuota } from '../../db/aiActions/queries.ts';
import { inTenant, REQUEST } from '../../db/kernel/tx.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { type AgentDecision, isAlwaysDenied, needsDecision, policyOf, RESERVED } from '../declare/agents.ts';
import type { Answer, Outgoing } from '../declare/answer.ts';
import type { Request } from '../declare/request.ts';
import { answeredPreview, deniedPreview } from '../preview/preview.ts';
import { rehearse } from '../preview/rehearse.ts';
import { record } from './audit.ts';
import { type CallInput, callOf, outgoingOf } from '../declare/call.ts';
import { countingOf } from './counting.ts';
import { requestUnlessAllowed } from './requestApproval.ts';
import { ofOrder } from './idempotency.ts';
import { replayed, storeRefusal } from './replay.ts';
import type { Step } from './step.ts';
import { NotAllowed } from './transact.ts';

/** A request, and what its handler will be given. */
export interface Working {
  readonly request: Request;
  readonly call: CallInput;
  /** What the operation has proved or prepared. */
  readonly prepared: unknown;
  readonly outgoing: Outgoing;
}

/** 200 DRY_RUN: the decision and what would change; nothing remains. */
export const answerDryRun: Step<Request, Request> = async (request, rest) => {
  if (!request.isDryRun) return rest(request);
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
  const { decision, difference, preview } = await rehearse(request);
  await record(request, { outcome: 'DRY_RUN', statusCode: 200, difference });
  return answered(decision, answeredPreview(preview));
};

/** A password comes before what its key has stored: without it, a key answers nothing, and nothing is stored under one. */
export const verifyPassword: Step<Request, Working> = async (arrived, rest) => {
  const outgoing = outgoingOf(arrived);
  const prepared = arrived.endpoint.verifiesPassword ? await arrived.endpoint.prepare?.(callOf(arrived, outgoing)) : undefined;
  const request = isGuestOrder(arrived, prepared) ? ofOrder(arrived, prepared) : arrived;
  return rest({ request, call: callOf(request, outgoing), prepared, outgoing });
};

/** What is proved of an order in the path is its id (orders/guestOrders.ts). */
const isGuestOrder = ({ incoming }: Request, proved: unknown): proved is string =>
  incoming.params['orderId'] !== undefined && typeof proved === 'string';

/** What its key has stored is answered again. */
export const replayStored: Step<Working, Working> = async (work, rest) =>
  (work.request.keyed ? await replayed(work.request) : null) ?? rest(work);

/**
 * Refusals are stored under the key (D78). An agent's change that turns out to need an approval is stored as a request; one that is denied
 * is refused.
 */
export const storeRefusals: Step<Working, Working> = async (work, rest) => {
  const { request } = work;
  try {
    return await rest(work);
  } catch (error) {
    if (error instanceof NotAllowed) return (await requestUnlessAllowed(request, error.rehearsal))!;
    const duplicateReply = request.keyed && error instanceof Fault ? await storeRefusal(request, error) : null;
    if (duplicateReply) return duplicateReply;
    throw error;
  }
};

/** The plan's quota of AI actions. */
export const checkAiQuota: Step<Working, Working> = async (work, rest) => {
  const { deps, caller } = work.request;
  if (countingOf(work.request) === 'limited') await inTenant(deps.orm, caller, REQUEST, checkQuota);
  return rest(work);
};

/** A request that may need an approval is tried first: its own refusals come before anybody is bothered (G18). */
export const requestApproval: Step<Working, Working> = async (work, rest) => {
  const { request } = work;
  const mayWait = needsDecision(request.endpoint, request.caller) && policyOf(request.endpoint) === 'approval';
  return (mayWait ? await requestUnlessAllowed(request, await rehearse(request)) : null) ?? rest(work);
};

/** What the operation does before its transaction. */
export const prepare: Step<Working, Working> = async (work, rest) => {
  const { request, call } = work;
  return rest(request.endpoint.verifiesPassword ? work : { ...work, prepared: await request.endpoint.prepare?.(call) });
};
