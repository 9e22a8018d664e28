/** The one request of an external node's entry (F15–F18). What it carries and what is answered stay in Postgres. */
import { setTimeout as sleep } from 'node:timers/promises';
import { failpoint } from '../db/kernel/failpoint.ts';
import { externalOutcomes } from '../db/kernel/metrics.ts';
import { inTenant, REQUEST, type Tx } from '../db/kernel/tx.ts';
import { type Answered, readAnswer } from '../db/flows/calls.ts';
import { type BegunRequest, beginExternalCall, isGroup, recordAnswer } from '../db/orders/externalCalls.ts';
import type { RunTransition } from '../db/runs/transition.ts';
import { orderGroupTransition, orderItemTransition } from '../db/transitions.ts';
import { ANSWER_BYTES, answerData } from '../domain/flows/external.ts';
import type { ExternalCall } from '../domain/orders/messages.ts';
import { SECOND } from '../domain/kernel/time.ts';
import type { Answer } from '../workflows/kernel/messages.ts';
import { completeCall, plannedAt } from './kernel/completeCall.ts';
import type { ActivityDeps } from './kernel/deps.ts';
import { withHeartbeat } from './kernel/heartbeat.ts';
import { createEgress, type Egress } from './providers/egress.ts';

interface PlannedCall {
  readonly id: string;
  readonly storeId: string;
  readonly input: ExternalCall['input'];
}
type Step = Answer<'orderItem', 'askExternal'> & Answer<'orderGroup', 'askExternal'>;
/** One activity serves both types on their task queue: the owner tells which transition its answer makes. */
const transitionOf = (ownerId: string): RunTransition<'orderGroup'> =>
  isGroup(ownerId) ? orderGroupTransition : (orderItemTransition as unknown as RunTransition<'orderGroup'>);

/** How long another execution may take to record its answer. */
const RECORDING_MS = 5 * SECOND;

/** Marks, sends, records: a request that was marked before is never sent again, and what became of it unknown is `failed`. */
export function askExternal(deps: ActivityDeps): (call: PlannedCall) => Promise<Step> {
  const { orm, keyring, clock, config } = deps;
  const egress = createEgress({ allowLoopback: config.allowLoopbackWebhooks, dns: config.webhookDns });
  return (call) => withHeartbeat(() => carryOut(call));

  async function carryOut(call: PlannedCall): Promise<Step> {
    const { storeId, input: entry } = call;
    const at = plannedAt(call, deps);
    const begun = await inTenant(orm, { storeId, at, realNow: clock.now() }, REQUEST, (tx) => beginExternalCall(tx, keyring, entry));
    if ('known' in begun) return complete(call, begun.known, at);
    if ('foreignSeconds' in begun) return complete(call, await foreignResult(deps, call, begun.foreignSeconds * SECOND), at);
    failpoint('external.before-send', entry.ownerId);
    const began = performance.now();
    const answer = await send(egress, begun.send);
    failpoint('external.after-send', entry.ownerId);
    const endedAt = at + Math.round(performance.now() - began);
    return complete(call, answer.result, endedAt, (tx) => recordAnswer(tx, entry, answer));
  }

  async function complete(
    call: PlannedCall,
    result: Answered['result'],
    endedAt: number,
    record?: (tx: Tx) => Promise<void>,
  ): Promise<Step> {
    const { ownerId } = call.input;
    const ended = { entityId: ownerId, outcome: { result }, at: endedAt, ...(record && { record }) };
    return (await completeCall(deps, transitionOf(ownerId), call, ended)) as Step;
  }
}

/** 2xx with its body within the time is a success, whatever the body is (F17). */
async function send(egress: Egress, { method, url, body, timeoutSeconds, ...more }: BegunRequest): Promise<Answered> {
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Svc-Flows/1.0',
    [more.headerName]: more.headerValue,
    'idempotency-key': more.idempotencyKey,
  };
  const deadlineMs = timeoutSeconds * SECOND;
  const { errorCode, responseBody } = await egress.ask({ method, url, headers, body, deadlineMs }, ANSWER_BYTES);
  externalOutcomes.inc({ outcome: errorCode ?? 'SUCCESS' });
  return errorCode
    ? { result: 'failed', data: null }
    : { result: 'success', data: responseBody === null ? null : answerData(responseBody) };
}

/** The answer to a request that another execution has begun, when it is there; `failed` where it does not come in time. */
async function foreignResult(
  { orm, clock }: ActivityDeps,
  { storeId, input }: PlannedCall,
  timeoutMs: number,
): Promise<Answered['result']> {
  const end = clock.now() + timeoutMs + RECORDING_MS;
  while (clock.now() < end) {
    const tenancy = { storeId, at: input.at, realNow: clock.now() };
    const answer = await inTenant(orm, tenancy, REQUEST, (tx) => readAnswer(tx, input.ownerId, input.call));
    if (answer) return answer.result;
    await sleep(250);
  }
  return 'failed';
}
