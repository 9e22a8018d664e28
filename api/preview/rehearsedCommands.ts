/** Commands of a dry run: their transitions run here, in the transaction that is rolled back, and not in their runs. */
import { randomUUID } from 'node:crypto';
import { sqlIn } from '../../db/kernel/sql.ts';
import { inTenant, REQUEST, type Tenancy, tenancyOf, type Tx } from '../../db/kernel/tx.ts';
import { backTo, effectOf, sofar } from '../../db/runs/effect.ts';
import { hashKey, type OperationKey, type StoredReply, storedReply } from '../../db/runs/operations.ts';
import { storeText } from '../../db/runs/text.ts';
import { transitionRun } from '../../db/runs/transition.ts';
import { runTransition } from '../../db/transitions.ts';
import type { RunName } from '../../workflows/kernel/start.ts';
import { COMMAND_MS, type Commands } from '../declare/commands.ts';
import type { Request } from '../declare/request.ts';

export interface Rehearsed {
  readonly commands: Commands;
  /** What each command did (db/runs/effect.ts), by the entity of its run. */
  readonly effects: ReadonlyMap<string, string>;
}
/**
 * One after the other, because they share one connection. Each command has a savepoint, so that one item of a bulk may be refused; what its
 * run would do afterwards (calls, timers) is no part of it.
 */
export function rehearsedCommands(tx: Tx, request: Request): Rehearsed {
  const effects = new Map<string, string>();
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work, work);
    last = turn.catch(() => {});
    return turn;
  };
  const commands: Commands = {
    ...withoutKey(request),
    forPart: () => commands,
    within: (tenant) => elsewhere(request, tenancyOf(tenant.storeId, tenant.clockOffsetMs, request.caller.realNow)),
    storeText: (text) => inTurn(() => storeText(tx, text)),
    read: (work) =>
      inTurn(() => {
        tx.em.clear();
        return work(tx);
      }),
    send: (run, command) =>
      inTurn(async () => {
        const before = sofar(tx);
        try {
          const work = tx.em.transactional((em) => transitioned({ ...tx, em, sql: sqlIn(em) }, request, run, command));
          const { reply, effect } = await work;
          effects.set(run.entityId, effect);
          return reply;
        } catch (error) {
          // What is refused has given nothing back.
          backTo(tx, before);
          throw error;
        }
      }),
  };
  return { commands, effects };
}

/** A key that is neither read nor stored (G11). */
const withoutKey = ({ operation }: Request): Pick<Commands, 'operation' | 'stored' | 'storeReply'> => ({
  operation: { ...operation, key: newKey() },
  stored: () => Promise.resolve(null),
  storeReply: () => Promise.resolve(),
});

interface Transitioned {
  readonly reply: StoredReply;
  /** What it did (db/runs/effect.ts). */
  readonly effect: string;
}
/** Runs a command's transition. */
async function transitioned(tx: Tx, { deps, caller, operation }: Request, run: RunName, command: object): Promise<Transitioned> {
  const definition = runTransition(run.workflowType, deps);
  const envelope = {
    ...command,
    operation: { ...operation, key: newKey() } satisfies OperationKey,
    requestId: caller.requestId,
    actor: caller.principal,
    clock: caller.at - caller.realNow,
    notAfter: caller.realNow + COMMAND_MS,
  };
  const { storeId, entityId } = run;
  const before = sofar(tx);
  let effect = '';
  const observed: typeof definition = {
    ...definition,
    transition: async (...sent) => {
      const result = await definition.transition(...sent);
      if (result) effect = effectOf(result, tx, before);
      return result;
    },
  };
  await transitionRun(tx, observed, { storeId, entityId, clock: envelope.clock }, { type: 'command', command: envelope as never }, deps);
  return { reply: (await storedReply(tx, envelope.operation)) ?? { status: 200, body: null }, effect };
}

/** Thrown at the end, so that nothing can commit. */
class RolledBack extends Error {}

/** Commands to another store than the request's transaction is of: each in a transaction of its own, which is rolled back. */
function elsewhere(request: Request, tenancy: Tenancy): Commands {
  const { orm } = request.deps;
  const rehearsed = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
    let result: { readonly value: T } | undefined;
    await inTenant(orm, tenancy, REQUEST, async (opened) => {
      result = { value: await work({ ...opened, isRehearsal: true, isCompared: true }) };
      throw new RolledBack();
    }).catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error;
    });
    return result!.value;
  };
  const commands: Commands = {
    ...withoutKey(request),
    forPart: () => commands,
    within: () => commands,
    storeText: (text) => rehearsed((tx) => storeText(tx, text)),
    read: (work) => inTenant(orm, tenancy, REQUEST, work),
    send: (run, command) => rehearsed(async (tx) => (await transitioned(tx, request, run, command)).reply),
  };
  return commands;
}

const newKey = () => hashKey(randomUUID());
