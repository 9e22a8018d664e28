/** An approved request as it was sent, read anew; and its dry run at the moment of its approval. */
import type { ApprovalRequest } from '../../db/approvals/entities.ts';
import { lockIfPresent } from '../../db/customers/locks.ts';
import { inTenant, REQUEST, type Tx } from '../../db/kernel/tx.ts';
import { isSamePreview, missingScopes } from '../../domain/approvals/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { ApiDeps, GivenDeps } from '../declare/deps.ts';
import { NEVER_GONE } from '../web/gone.ts';
import type { Caller } from '../declare/caller.ts';
import type { Endpoint } from '../declare/endpoint.ts';
import { rehearse } from '../preview/rehearse.ts';
import { levelsOf } from '../preview/preview.ts';
import type { PreviewNow } from '../declare/ports.ts';
import { reauthenticate } from './reauthenticate.ts';
import { createReader, type ReadRequest } from '../pipeline/readRequest.ts';
import { validated } from '../pipeline/validateRequest.ts';
import type { Incoming } from '../declare/incoming.ts';
import type { Request } from '../declare/request.ts';

export interface Known {
  readonly endpoint: Endpoint;
  /** Its schemas are compiled with the first execution. */
  readonly read: (incoming: Incoming) => Promise<ReadRequest>;
}
/** By their ids. */
export const operationsById = (endpoints: readonly Endpoint[]): ReadonlyMap<string, Known> =>
  new Map(endpoints.map((endpoint) => [endpoint.id, { endpoint, read: readerOf(endpoint) }]));

function readerOf(endpoint: Endpoint): Known['read'] {
  let reader: Known['read'] | undefined;
  return (incoming) => (reader ??= createReader(endpoint))(incoming);
}

/** Whether the customer whom a request is about is gone; one who is not stays to the end of the transaction. */
export async function isOfNobodyNow(tx: Tx, { params: { customerId } }: ApprovalRequest): Promise<boolean> {
  return customerId !== undefined && !(await lockIfPresent(tx, customerId));
}

/** The request as it was sent. */
export function incomingOf({ path, params, querystring, headers, body }: ApprovalRequest): Incoming {
  return {
    path,
    params,
    querystring,
    header: (name) => headers[name],
    content: async () => ({ sent: body ?? undefined, file: null }),
    gone: () => NEVER_GONE,
  };
}

interface Requested {
  readonly approval: ApprovalRequest;
  readonly caller: Caller;
  /** The customer whom it is about has withdrawn: of the request only a part is left. */
  readonly isOfNobody: boolean;
}
/** INSUFFICIENT_SCOPE, CUSTOMER_NOT_FOUND, and the refusals of `validated`. */
export async function requestOf({ endpoint, read }: Known, { approval, caller, isOfNobody }: Requested, deps: ApiDeps): Promise<Request> {
  const missing = missingScopes(caller.scopes, endpoint.scopes ?? []);
  if (missing.length > 0) throw new Fault('INSUFFICIENT_SCOPE', { details: { required: missing } });
  if (isOfNobody) throw new Fault('CUSTOMER_NOT_FOUND');
  const incoming = incomingOf(approval);
  return validated(await read(incoming), { incoming, endpoint, deps, caller }, { hasOwnKey: true });
}

/** The dependencies of operations: with the operations themselves, as far as approving needs them. */
export function completed(given: GivenDeps, endpoints: readonly Endpoint[]): ApiDeps {
  const deps: ApiDeps = { ...given, previewNow: (...of) => previewNow(...of) };
  const previewNow = createPreviewNow(deps, endpoints);
  return deps;
}

function createPreviewNow(deps: ApiDeps, endpoints: readonly Endpoint[]): PreviewNow {
  const known = operationsById(endpoints);
  return async (approval, { userId, scopes }, times) => {
    const found = known.get(approval.operationId);
    if (!found) return null;
    try {
      const approved = { ...approval, approverUserId: userId, approverScopes: [...scopes] };
      const caller = await reauthenticate(approved, deps, times);
      const isOfNobody = await inTenant(deps.orm, caller, REQUEST, (tx) => isOfNobodyNow(tx, approval));
      const { preview } = await rehearse(await requestOf(found, { approval, caller, isOfNobody }, deps));
      return isSamePreview(approval.preview, preview, levelsOf(found.endpoint)) ? null : preview;
    } catch (error) {
      if (!(error instanceof Fault))
        deps.log.warn({ err: error, approvalId: approval.approvalId }, 'a request was not tried before its approval');
      return null;
    }
  };
}
