/**
 * The steps of a request, wherever it comes from: over HTTP (mount.ts) or through `/mcp` (dispatch.ts). The order is fixed:
 * authenticate → scope → denied to agents → refused whatever is sent → validate (request.ts) → idempotency → handle (perform.ts).
 */
import { inTenant, REQUEST } from '../../db/kernel/tx.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { deniedBy, isAlwaysDenied, RESERVED } from '../declare/agents.ts';
import { originOf, recordRefusal } from './audit.ts';
import { type Authenticated, authorize } from '../callers/authenticate.ts';
import type { ApiDeps } from '../declare/deps.ts';
import type { Caller } from '../declare/caller.ts';
import type { Endpoint } from '../declare/endpoint.ts';
import { subjectOf } from './idempotency.ts';
import { errorsOf } from '../declare/errors.ts';
import { inTurn } from './largeRequests.ts';
import { perform } from './perform.ts';
import type { Answer } from '../declare/answer.ts';
import { createReader, isDryRun, validated } from './request.ts';
import type { Incoming } from '../declare/incoming.ts';
import { checker, textErrors } from '../validation/validate.ts';

/** A request as it arrived. */
export interface Arrival {
  readonly incoming: Incoming;
  readonly requestId: string;
  readonly clientAddress: string;
}
/** Refusals are Faults; those of authenticated callers are recorded. */
export type Acceptor = (arrival: Arrival, authenticate: () => Promise<Authenticated>) => Promise<Answer>;

export function createAcceptor(endpoint: Endpoint, deps: ApiDeps): Acceptor {
  const read = createReader(endpoint);
  const strays = deps.config.checkReplies && endpoint.data ? checker(endpoint.data, 'json') : undefined;
  return async (arrival, authenticate) => {
    const { incoming } = arrival;
    const authenticated = await authenticate();
    try {
      if (endpoint.access === 'store') authorize(endpoint, authenticated);
      if (isAlwaysDenied(endpoint, authenticated) && !isDryRun(endpoint, incoming)) throw deniedBy(endpoint, RESERVED);
      await refuseFirst(endpoint, deps, arrival, authenticated);
      const request = await read(incoming);
      const caller = callerOf(arrival, authenticated, request.body);
      const work = async () => perform(await validated(request, { incoming, endpoint, deps, caller }));
      const answer = await inTurn(endpoint, authenticated.storeId, incoming.gone, work);
      const violations = answer.status < 300 && !answer.code ? (strays?.(JSON.parse(JSON.stringify(answer.body ?? null))) ?? []) : [];
      if (violations.length > 0) throw new Error(`${endpoint.id} strays from its schema: ${JSON.stringify(violations)}`);
      return answer;
    } catch (error) {
      await recordRefusal({ incoming, endpoint, deps, caller: callerOf(arrival, authenticated, null) }, error);
      throw error;
    }
  };
}

/** What is refused before the body is looked at; a path that cannot be is left to the validation. */
async function refuseFirst({ first }: Endpoint, deps: ApiDeps, arrival: Arrival, authenticated: Authenticated): Promise<void> {
  const { params, header } = arrival.incoming;
  if (!first || Object.entries(params).some(([name, value]) => textErrors(value, name).length > 0)) return;
  const head = { ...callerOf(arrival, authenticated, null), deps, header };
  await inTenant(deps.orm, authenticated, REQUEST, (tx) => first(tx, params, head));
}

/** The caller of a request. Without a principal the request id is used, so that an idempotency key has no effect (X15). */
function callerOf({ incoming, requestId, clientAddress }: Arrival, authenticated: Authenticated, body: unknown): Caller {
  const principal = authenticated.principal ?? subjectOf(incoming.params, body) ?? requestId;
  return { ...authenticated, principal, requestId, clientAddress, origin: originOf(authenticated, requestId, incoming.params) };
}

/** In tests, turns a Fault that the operation does not declare into an error. */
export const declared = (endpoint: Endpoint, { config }: ApiDeps, error: unknown): unknown =>
  config.checkReplies && error instanceof Fault && !errorsOf(endpoint).includes(error.code)
    ? new Error(`${endpoint.id} does not declare ${error.code}`)
    : error;
