/** Carries out a request, and nothing before it has: by commands to runs, or by its handler in its transaction. */
import { Fault } from '../../domain/kernel/errors.ts';
import type { Answer, Outgoing } from '../declare/answer.ts';
import { isManaged, isPersonal } from '../declare/endpoint.ts';
import type { Request } from '../declare/request.ts';
import { Stale } from '../preview/preview.ts';
import { rehearse } from '../preview/rehearse.ts';
import { beginApproved } from './approved.ts';
import { record, targetOf, traceIdOf } from './audit.ts';
import type { CallInput } from '../declare/call.ts';
import { createCommands } from './commands.ts';
import { countingOf } from './counting.ts';
import type { Working } from './perform.ts';
import { transact, type TransactionHooks } from './transact.ts';

/** The last step. */
export const carryOut = (hooks: TransactionHooks) =>
  function carryOut({ request, call, prepared, outgoing }: Working): Promise<Answer> {
    const input = { ...call, prepared };
    if (request.endpoint.change !== 'workflow') return transact(request, input, { outgoing, hooks });
    return request.execution ? commandApproved(request, input, outgoing) : command(request, input, { outgoing });
  };

/**
 * An approved request whose change is made by a run: dry-run first. Each of its commands does what it did there, in the transaction of its
 * transition, or is refused. Where one was, the request is shown anew.
 */
async function commandApproved(request: Request, call: CallInput, outgoing: Outgoing): Promise<Answer> {
  const expects = await beginApproved(request, () => rehearse(request));
  try {
    return await command(request, call, { outgoing, expects });
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'APPROVAL_STALE') throw error;
    throw new Stale((await rehearse(request)).preview);
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
