/** Commands to runs. An early refusal does not reach Temporal, replies are read from Postgres, and a 503 means "done already or never". */
import { setTimeout as sleep } from 'node:timers/promises';
import { WithStartWorkflowOperation, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { inTenant, type Limits, READ, REQUEST, tenancyOf, type Tx } from '../../db/kernel/tx.ts';
import { hashKey, type OperationKey, type StoredReply, storedReply, storeReply } from '../../db/runs/operations.ts';
import { sealTyped } from '../../db/runs/origin.ts';
import { storeText } from '../../db/runs/text.ts';
import { Fault, type FaultExtra, isErrorCode, RetryLater } from '../../domain/kernel/errors.ts';
import {
  type Command,
  COMMAND_UPDATE,
  type CommandContent,
  type CommandEnvelope,
  type CommandOrigin,
  type CommandRequest,
  type CommandResult,
  type RunRef,
  type WorkflowType,
} from '../../workflows/kernel/messages.ts';
import { type RunName, startOptions } from '../../workflows/kernel/start.ts';
import { COMMAND_MS, type Commands } from '../declare/commands.ts';
import type { ApiDeps } from '../declare/deps.ts';
import type { Caller } from '../declare/caller.ts';

/** What the transition of a command does for its request, in the transaction of the change. */
export interface CommandRecords {
  /** How an agent's command is counted; null: not at all. */
  readonly aiActions: 'limited' | 'always' | null;
  /** The request in the audit log; null: of a buyer. */
  readonly request: CommandRequest | null;
  /** As it was sent. */
  readonly idempotencyKey: string | null;
  /** Of an approved request: what each of its commands has to do, by the entity of its run; anything else is refused (G51). */
  readonly expects?: ReadonlyMap<string, string> | undefined;
  /** A command was carried out: its transition has recorded the request. */
  readonly onRecorded: () => void;
}

/** `bulkKey`: of the bulk that these commands are part of. */
export function createCommands(
  deps: ApiDeps,
  caller: Caller,
  operation: OperationKey,
  records: CommandRecords | null,
  bulkKey: string | null = null,
): Commands {
  const origin = originOf(deps, caller, records);
  // Some commands may have been carried out: too many requests would say that nothing was.
  const transacted = <T>(limits: Limits, work: (tx: Tx) => Promise<T>) =>
    inTenant(deps.orm, caller, limits, work).catch((error: unknown) => {
      throw error instanceof RetryLater ? new Fault('TEMPORARILY_UNAVAILABLE') : error;
    });
  const read = <T>(work: (tx: Tx) => Promise<T>) => transacted(REQUEST, work);
  return {
    operation,
    read,
    forPart(part) {
      const key = hashKey(`${operation.key}/${part}`);
      return createCommands(
        deps,
        { ...caller, requestId: `${caller.requestId}/${part}` },
        { ...operation, key },
        partOf(records),
        operation.key,
      );
    },
    within({ storeId, sandbox, clockOffsetMs }, target) {
      const there = { ...caller, ...tenancyOf(storeId, clockOffsetMs, caller.realNow), sandbox };
      const about = records && { ...records, request: records.request && { ...records.request, target } };
      return createCommands(deps, there, operation, about, bulkKey);
    },
    stored: () => transacted(READ, (tx) => storedReply(tx, operation)),
    async storeReply(reply) {
      if (operation.key !== hashKey(caller.requestId)) await read((tx) => storeReply(tx, operation, reply));
    },
    storeText: (text) => read((tx) => storeText(tx, text)),
    async send(run, command) {
      await sendCommand(deps, run, {
        ...command,
        operation: { principal: operation.principal, key: operation.key, id: operation.id, fingerprint: operation.fingerprint },
        requestId: caller.requestId,
        actor: caller.principal,
        clock: caller.at - caller.realNow,
        ...(origin && { origin }),
        ...countedBy(records, bulkKey),
        ...(bulkKey !== null && { isPart: true }),
        ...(records?.expects && { expects: records.expects.get(run.entityId) ?? 'nothing' }),
        notAfter: caller.realNow + COMMAND_MS,
      });
      if (records?.request) records.onRecorded();
      const reply = await this.stored();
      if (!reply) throw new Fault('TEMPORARILY_UNAVAILABLE');
      if (reply.status >= 400) throw stored(reply);
      return reply;
    },
  };
}

/** The commands of one request share its record in the audit log, whichever of them comes first. */
const partOf = (records: CommandRecords | null): CommandRecords | null =>
  records && { ...records, request: records.request && { ...records.request, isPart: true } };

/** A bulk is one action, whatever its number of commands and however often it is repeated under its key. */
const countedBy = (records: CommandRecords | null, bulkKey: string | null): Pick<CommandEnvelope, 'aiActions' | 'bulkAction'> => {
  const counting = records?.aiActions;
  if (!counting) return {};
  return bulkKey === null ? { aiActions: counting } : { bulkAction: { counting, key: hashKey(`${bulkKey}/action`) } };
};

/** What the command tells the audit log. */
function originOf({ keyring }: ApiDeps, { storeId, origin }: Caller, records: CommandRecords | null): CommandOrigin | undefined {
  if (!origin) return undefined;
  const { actor, requestId, approvalId, metadata } = origin;
  const sealed = sealTyped(keyring, storeId, requestId, { name: actor?.name ?? null, idempotencyKey: records?.idempotencyKey ?? null });
  return {
    actor: actor && { type: actor.type, id: actor.id },
    requestId,
    approvalId,
    metadata,
    ...(sealed !== undefined && { sealed }),
    ...(records?.request && { request: records.request }),
  };
}

/** The Fault of a stored refusal: a concurrent duplicate was refused under this key. */
function stored({ body }: StoredReply): Fault {
  const { code, details, fieldErrors } = body as FaultExtra & { code: string };
  return isErrorCode(code) ? new Fault(code, { ...(details && { details }), ...(fieldErrors && { fieldErrors }) }) : new Fault('INTERNAL');
}

/**
 * Retries while the workflow closes: a signal that arrives in that moment makes Temporal abort the update, whether or not it was carried
 * out. The idempotency key makes a retry harmless, so that only an outage is reported as one.
 */
async function retryWhileClosing<T>(notAfter: number, send: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!isClosing(error) || Date.now() > notAfter) throw error;
      await sleep(50);
    }
  }
}
/** gRPC status codes. */
const [FAILED_PRECONDITION, ABORTED] = [9, 10] as const;
const isClosing = (error: unknown): boolean => {
  const cause = error instanceof Error ? ((error.cause ?? error) as { code?: unknown; message?: unknown }) : {};
  return cause.code === FAILED_PRECONDITION || cause.code === ABORTED || String(cause.message).includes('workflow task failure');
};

/**
 * One update-with-start within the deadline; it also restarts a lost workflow. Returns the run's status after it. Refusals of the
 * transition are Faults.
 */
export async function sendCommand<T extends WorkflowType>(
  { temporal, log }: ApiDeps,
  run: RunName<T>,
  command: CommandContent<T> & CommandEnvelope,
): Promise<string> {
  const ids = { requestId: command.requestId, storeId: run.storeId, workflowId: run.workflowId, command: command.name };
  try {
    const result = await retryWhileClosing(command.notAfter, () =>
      temporal.withDeadline(command.notAfter + 250, () =>
        temporal.workflow.executeUpdateWithStart<(ref: RunRef) => Promise<void>, CommandResult | undefined, [Command]>(COMMAND_UPDATE, {
          args: [command],
          // An execution that is tried again has the same request id, but is another update.
          updateId: `${command.requestId}/${command.notAfter}`,
          startWorkflowOperation: new WithStartWorkflowOperation(run.workflowType, startOptions(run)),
        }),
      ),
    );
    log.info(ids, 'command');
    // A worker of the previous version says none.
    return result?.status ?? '';
  } catch (error) {
    if (error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure) {
      const { type, details } = error.cause;
      if (isErrorCode(type)) throw new Fault(type, (details?.[0] as FaultExtra | undefined) ?? {});
      if (type === 'OUTAGE') throw new Fault('TEMPORARILY_UNAVAILABLE');
      throw new Fault('INTERNAL');
    }
    log.warn({ ...ids, err: error }, 'a command was not answered in time');
    throw new Fault('TEMPORARILY_UNAVAILABLE');
  }
}
