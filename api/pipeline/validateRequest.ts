/** All problems of a request at once, with those that no schema can express, and its key. */
import { covers } from '../../domain/identity/rules.ts';
import { Fault, type FieldError } from '../../domain/kernel/errors.ts';
import { AGENT_HEADER, AGENT_NAME } from '../callers/authenticate.ts';
import { takesKey } from '../declare/agents.ts';
import type { Caller } from '../declare/caller.ts';
import type { ApiDeps } from '../declare/deps.ts';
import { type Endpoint, isForAgents } from '../declare/endpoint.ts';
import type { Incoming } from '../declare/incoming.ts';
import { DRY_RUN, hasDryRun, isDryRun, type Request, type RequestContext, type RequestInput } from '../declare/request.ts';
import { pagingProblems } from '../declare/schema.ts';
import { textErrors } from '../validation/validate.ts';
import { NO_BODY } from '../web/body.ts';
import { operationOf, sentKey } from './idempotency.ts';
import type { ReadRequest } from './readRequest.ts';

/**
 * VALIDATION_FAILED with all problems at once; the operation's 404 for an id in the path that cannot exist; INSUFFICIENT_SCOPE.
 * `hasOwnKey`: it is carried out under another key than its client's.
 */
export async function validated(request: ReadRequest, context: RequestContext, { hasOwnKey = false } = {}): Promise<Request> {
  const { incoming, endpoint, deps, caller } = context;
  const { params, query, body, file } = request;
  const fieldErrors = await problemsOf(request, endpoint, deps, caller);
  const key = takesKey(endpoint) ? sentKey(incoming, fieldErrors) : null;
  if (endpoint.needsKey && key === null && !hasOwnKey) fieldErrors.push(...keyProblems(incoming));
  fieldErrors.push(...headerProblems(incoming, endpoint), ...(endpoint.checkHeaders?.(incoming.header) ?? []));
  refuse(fieldErrors, request.parameters);
  checkIds(endpoint, params);
  checkScope(endpoint, caller, body);
  const sent = file ? { body, file: file.sha256.toString('hex') } : body;
  return {
    ...context,
    input: { params, query, body, file },
    operation: operationOf({ incoming, endpoint, caller, body: sent, key }, deps.keyring),
    sentKey: key,
    keyed: key !== null && caller.principal !== caller.requestId,
    isDryRun: isDryRun(endpoint, incoming),
  };
}

/** Of parameters alone it is INVALID_PARAMETER, with the first of them in its details; beside other problems they are told with those. */
function refuse(problems: readonly FieldError[], parameters: readonly FieldError[]): void {
  const fieldErrors = [...problems, ...parameters];
  if (problems.length > 0) throw new Fault('VALIDATION_FAILED', { fieldErrors });
  const [first] = parameters;
  if (first) throw new Fault('INVALID_PARAMETER', { details: { parameter: first.field }, fieldErrors });
}

/** INSUFFICIENT_SCOPE where the body needs another scope than the one that let the request in. */
function checkScope({ scopeOf }: Endpoint, { scopes }: Caller, body: unknown): void {
  const needed = scopeOf?.(body);
  if (needed !== undefined && !covers(scopes, needed)) throw new Fault('INSUFFICIENT_SCOPE', { details: { required: [needed] } });
}

const keyProblems = ({ header }: Incoming): FieldError[] =>
  header('idempotency-key') === undefined ? [{ field: 'Idempotency-Key', code: 'REQUIRED', message: 'is required' }] : [];

/** The headers of agents, reads too, and of dry runs, which only changes have. */
function headerProblems({ header }: Incoming, endpoint: Endpoint): FieldError[] {
  const dryRun = (hasDryRun(endpoint) ? header(DRY_RUN) : undefined) ?? '0';
  const agent = (isForAgents(endpoint) ? header(AGENT_HEADER) : undefined) ?? 'none';
  return [
    ...(/^[01]$/.test(dryRun) ? [] : [{ field: DRY_RUN, code: 'INVALID', message: '1 for a dry run, 0 or no header for a real one' }]),
    ...(AGENT_NAME.test(agent) ? [] : [{ field: AGENT_HEADER, code: 'INVALID', message: '1 to 100 printable ASCII characters' }]),
  ];
}

/** All field errors. The operation's own `check` gets only what fits the schema, so that one pass reports everything. */
async function problemsOf(
  { params, validated, isBodyMissing }: ReadRequest,
  endpoint: Endpoint,
  deps: ApiDeps,
  caller: Caller,
): Promise<FieldError[]> {
  const { names, query, body } = validated;
  const checked = endpoint.check && body.fitting ? await endpoint.check(body.fitting, deps, caller) : [];
  const found = [
    ...Object.entries(params).flatMap(([name, value]) => (isLongId(name, value) ? [] : textErrors(value, name))),
    ...names,
    ...(query ? [...query.fieldErrors, ...pagingProblems(query.fitting ?? {})] : []),
    ...body.fieldErrors,
    ...checked,
  ];
  return found.length === 0 && isBodyMissing ? [NO_BODY] : found;
}

/** The length of our longest ids. */
const LONGEST_ID = 64;
const isLongId = (name: string, value: string) => name.endsWith('Id') && value.length > LONGEST_ID;

/** An id in the path that is longer than any of ours does not exist: the operation's 404, without a lookup or a use of a limit (X22). */
function checkIds({ errors = [] }: Endpoint, params: RequestInput['params']): void {
  const name = Object.keys(params).find((one) => isLongId(one, params[one]!));
  if (name === undefined) return;
  const thing = name.slice(0, -'Id'.length).replaceAll(/[A-Z]/g, (letter) => `_${letter}`);
  const unknown = errors.filter((code) => code.endsWith('_NOT_FOUND'));
  throw new Fault(unknown.find((code) => code.endsWith(`${thing.toUpperCase()}_NOT_FOUND`)) ?? unknown[0] ?? 'NOT_FOUND');
}
