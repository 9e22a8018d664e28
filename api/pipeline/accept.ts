/** The steps of a request until it has passed every check (order.ts). */
import { currentRequester, workFor } from '../../db/kernel/requester.ts';
import { inTenant, REQUEST } from '../../db/kernel/tx.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { Authenticated } from '../callers/authenticate.ts';
import { authorize } from '../callers/authorize.ts';
import { deniedBy, isAlwaysDenied, RESERVED } from '../declare/agents.ts';
import type { Caller } from '../declare/caller.ts';
import type { ApiDeps } from '../declare/deps.ts';
import type { Endpoint } from '../declare/endpoint.ts';
import { errorsOf } from '../declare/errors.ts';
import type { Incoming } from '../declare/incoming.ts';
import { type Request, isDryRun } from '../declare/request.ts';
import { checker, textErrors } from '../validation/validate.ts';
import { originOf } from '../callers/origin.ts';
import { recordRefusal } from './audit.ts';
import { subjectOf } from '../callers/principal.ts';
import { inTurn } from './largeRequests.ts';
import { createReader, type ReadRequest } from './readRequest.ts';
import { validated } from './validateRequest.ts';
import type { Step } from './step.ts';

/** An operation, ready to take requests. Its schemas are compiled on first use. */
export interface Acceptor {
  readonly endpoint: Endpoint;
  readonly deps: ApiDeps;
  readonly read: (incoming: Incoming) => Promise<ReadRequest>;
  /** In tests: how an answer strays from its schema. */
  readonly strays: ReturnType<typeof checker> | undefined;
}
export const createAcceptor = (endpoint: Endpoint, deps: ApiDeps): Acceptor => ({
  endpoint,
  deps,
  read: createReader(endpoint),
  strays: deps.config.checkReplies && endpoint.data ? checker(endpoint.data, 'json') : undefined,
});

/** A request as it arrived. */
export interface Arrived extends Acceptor {
  readonly incoming: Incoming;
  readonly requestId: string;
  readonly clientAddress: string;
  readonly authenticate: () => Promise<Authenticated>;
}
interface Identified extends Arrived {
  readonly authenticated: Authenticated;
  readonly caller: Caller;
}
interface Read extends Identified {
  readonly request: ReadRequest;
}

/** Whom a store has let in shares its turns with others like them, by principal; everybody else by network. */
export const identify: Step<Arrived, Identified> = async (at, rest) => {
  const authenticated = await at.authenticate();
  const identified = { ...at, authenticated, caller: callerOf(at, authenticated, null) };
  const { access, side = 'PUBLIC' } = at.endpoint;
  const requester =
    access === 'store' ? ({ side: 'SELLER', sender: identified.caller.principal } as const) : { ...currentRequester(), side };
  return workFor(requester, () => rest(identified));
};

/** Refusals of authenticated callers are recorded. */
export const recordRefusals: Step<Identified, Identified> = async (at, rest) => {
  try {
    return await rest(at);
  } catch (error) {
    await recordRefusal(at, error);
    throw error;
  }
};

export const checkRights: Step<Identified, Identified> = async (at, rest) => {
  if (at.endpoint.access === 'store') authorize(at.endpoint, at.authenticated);
  return rest(at);
};

/** AGENT_OPERATION_DENIED, where an agent may not whatever it sends; its dry run tells so. */
export const refuseReserved: Step<Identified, Identified> = async (at, rest) => {
  if (isAlwaysDenied(at.endpoint, at.authenticated) && !isDryRun(at.endpoint, at.incoming)) throw deniedBy(at.endpoint, RESERVED);
  return rest(at);
};

/** What the operation refuses before the body is looked at; a path that cannot be is left to the validation. */
export const refuseFirst: Step<Identified, Identified> = async (at, rest) => {
  const { endpoint, deps, caller, authenticated } = at;
  const { params, header } = at.incoming;
  const { first } = endpoint;
  if (first && Object.entries(params).every(([name, value]) => textErrors(value, name).length === 0))
    await inTenant(deps.orm, authenticated, REQUEST, (tx) => first(tx, params, { ...caller, deps, header }));
  return rest(at);
};

export const readBody: Step<Identified, Read> = async (at, rest) => {
  const request = await at.read(at.incoming);
  return rest({ ...at, request, caller: callerOf(at, at.authenticated, request.body) });
};

/** In tests: an answer that strays from its schema is an error. */
export const checkAnswer: Step<Read, Read> = async (at, rest) => {
  const answer = await rest(at);
  const violations = answer.status < 300 && !answer.code ? (at.strays?.(JSON.parse(JSON.stringify(answer.body ?? null))) ?? []) : [];
  if (violations.length > 0) throw new Error(`${at.endpoint.id} strays from its schema: ${JSON.stringify(violations)}`);
  return answer;
};

export const takeTurn: Step<Read, Read> = (at, rest) => inTurn(at.endpoint, at.authenticated.storeId, at.incoming.gone, () => rest(at));

export const validate: Step<Read, Request> = async ({ request, incoming, endpoint, deps, caller }, rest) =>
  rest(await validated(request, { incoming, endpoint, deps, caller }));

/** The caller of a request. Without a principal the request id is used, so that an idempotency key has no effect. */
function callerOf({ incoming, requestId, clientAddress }: Arrived, authenticated: Authenticated, body: unknown): Caller {
  const principal = authenticated.principal ?? subjectOf(incoming.params, body) ?? requestId;
  return { ...authenticated, principal, requestId, clientAddress, origin: originOf(authenticated, requestId, incoming.params) };
}

/** In tests, turns a Fault that the operation does not declare into an error. */
export const declared = (endpoint: Endpoint, { config }: ApiDeps, error: unknown): unknown =>
  config.checkReplies && error instanceof Fault && !errorsOf(endpoint).includes(error.code)
    ? new Error(`${endpoint.id} does not declare ${error.code}`)
    : error;
