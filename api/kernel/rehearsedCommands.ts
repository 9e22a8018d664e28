/** Commands of a dry run: their transitions run here, in the transaction that is rolled back, and not in their runs. */
import { randomUUID } from 'node:crypto';
import { sqlIn } from '../../db/kernel/sql.ts';
import type { Em, Tx } from '../../db/kernel/tx.ts';
import { effectOf } from '../../db/runs/effect.ts';
import { hashKey, type OperationKey, storedReply } from '../../db/runs/operations.ts';
import { storeText } from '../../db/runs/text.ts';
import { transitionRun } from '../../db/runs/transition.ts';
import { managedTransition } from '../../db/transitions.ts';
import { COMMAND_MS, type Commands } from './commands.ts';
import type { Request } from './request.ts';

export interface Rehearsed {
  readonly commands: Commands;
  /** What each command did (db/runs/effect.ts), by the entity of its run. */
  readonly effects: ReadonlyMap<string, string>;
}
/**
 * One after the other, because they share one connection. Each command has a savepoint, so that one item of a bulk may be refused; what its
 * run would do afterwards (calls, timers) is no part of it.
 */
export function rehearsedCommands(tx: Tx, { deps, caller, operation }: Request): Rehearsed {
  const effects = new Map<string, string>();
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work, work);
    last = turn.catch(() => {});
    return turn;
  };
  const commands: Commands = {
    // Neither read nor stored (G11).
    operation: { ...operation, key: newKey() },
    forPart: () => commands,
    within: () => commands,
    stored: () => Promise.resolve(null),
    storeReply: () => Promise.resolve(),
    storeText: (text) => inTurn(() => storeText(tx, text)),
    read: (work) =>
      inTurn(() => {
        tx.em.clear();
        return work(tx);
      }),
    send: (run, command) =>
      inTurn(async () => {
        const definition = managedTransition(run.workflowType, deps);
        if (!definition) throw new Error(`${run.workflowType} takes no commands of the management API.`);
        const envelope = {
          ...command,
          operation: { ...operation, key: newKey() } satisfies OperationKey,
          requestId: caller.requestId,
          actor: caller.principal,
          clock: caller.at - caller.realNow,
          notAfter: caller.realNow + COMMAND_MS,
        };
        const { storeId, entityId } = run;
        const before = { ...tx.returned };
        let effect = '';
        const observed: typeof definition = {
          ...definition,
          transition: async (...sent) => {
            const result = await definition.transition(...sent);
            if (result) effect = effectOf(result, { before, after: tx.returned });
            return result;
          },
        };
        const work = async (em: Em) => {
          const inner: Tx = { ...tx, em, sql: sqlIn(em) };
          const ref = { storeId, entityId, clock: envelope.clock };
          await transitionRun(inner, observed, ref, { type: 'command', command: envelope as never }, deps);
          return storedReply(inner, envelope.operation);
        };
        const reply = await tx.em.transactional(work).catch((error: unknown) => {
          // What is refused has given nothing back.
          Object.assign(tx.returned, before);
          throw error;
        });
        effects.set(entityId, effect);
        return reply ?? { status: 200, body: null };
      }),
  };
  return { commands, effects };
}

const newKey = () => hashKey(randomUUID());
