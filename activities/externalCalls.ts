/** The one request of an external node's entry. What it carries and what is answered stay in Postgres. */
import { setTimeout as sleep } from 'node:timers/promises';
import { failpoint } from '../db/kernel/failpoint.ts';
import { externalOutcomes } from '../db/kernel/metrics.ts';
import { inTenant, REQUEST, type Tx } from '../db/kernel/tx.ts';
import { type CallAnswer, readAnswer } from '../db/flows/calls.ts';
import { type BegunRequest, beginExternalCall, recordAnswer } from '../db/orders/flows/externalCalls.ts';
import { ANSWER_BYTES, answerData } from '../domain/flows/run/external.ts';
import type { ExternalCall } from '../domain/orders/messages.ts';
import { SECOND } from '../domain/kernel/time.ts';
import { plannedAt, retryOnOutage } from './kernel/completeCall.ts';
import type { ActivityDeps } from './kernel/deps.ts';
import { withHeartbeat } from './kernel/heartbeat.ts';
import { createEgress, type Egress } from './providers/egress.ts';

interface CallMessage {
  readonly id: string;
  readonly storeId: string;
  readonly input: ExternalCall['input'];
}
/** How long another execution may take to record its answer. */
const RECORDING_MS = 5 * SECOND;

/**
 * Marks, sends, records: a request that was marked before is never sent again, and what became of it unknown is `failed`. The run makes the
 * transition, at its own time: a deadline that passed meanwhile goes first.
 */
export function askExternal(deps: ActivityDeps): (call: CallMessage) => Promise<ExternalCall['outcome']> {
  const { orm, keyring, clock, config } = deps;
  const egress = createEgress({ allowLoopback: config.allowLoopbackWebhooks, dns: config.webhookDns });
  return (call) => withHeartbeat(async () => ({ result: await request(call) }));

  async function request(call: CallMessage): Promise<ExternalCall['outcome']['result']> {
    const { storeId, input: entry } = call;
    const within = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
      inTenant(orm, { storeId, at: plannedAt(call, deps), realNow: clock.now() }, REQUEST, work);
    const begun = await within((tx) => beginExternalCall(tx, keyring, entry));
    if ('known' in begun) return begun.known;
    if ('waits' in begun) return 'waiting';
    if ('foreignSeconds' in begun) return foreignResult(deps, call, begun.foreignSeconds * SECOND);
    failpoint('external.before-send', entry.ownerId);
    const answer = await send(egress, begun.send);
    failpoint('external.after-send', entry.ownerId);
    await retryOnOutage(() => within((tx) => recordAnswer(tx, entry, answer)));
    return answer.result;
  }
}

/** 2xx with its body within the time is a success, whatever the body is (F17). */
async function send(egress: Egress, { method, url, body, timeoutSeconds, ...more }: BegunRequest): Promise<CallAnswer> {
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Svc-Flows/1.0',
    [more.headerName]: more.headerValue,
    'idempotency-key': more.idempotencyKey,
  };
  const deadlineMs = timeoutSeconds * SECOND;
  const { errorCode, responseBody } = await egress.call({ method, url, headers, body, deadlineMs }, ANSWER_BYTES);
  externalOutcomes.inc({ outcome: errorCode ?? 'SUCCESS' });
  return errorCode
    ? { result: 'failed', data: null }
    : { result: 'success', data: responseBody === null ? null : answerData(responseBody) };
}

/** The answer to a request that another execution has begun, when it is there; `failed` where it does not come in time. */
async function foreignResult(
  { orm, clock }: ActivityDeps,
  { storeId, input }: CallMessage,
  timeoutMs: number,
): Promise<CallAnswer['result']> {
  const end = clock.now() + timeoutMs + RECORDING_MS;
  while (clock.now() < end) {
    const tenancy = { storeId, at: input.at, realNow: clock.now() };
    const answer = await inTenant(orm, tenancy, REQUEST, (tx) => readAnswer(tx, input.ownerId, input.call));
    if (answer) return answer.result;
    await sleep(250);
  }
  return 'failed';
}
