/** Errors of calls go to the log; Temporal gets only OUTAGE or INTERNAL (X24), because messages quote values and answers. */
import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import { isOutage } from '../../db/kernel/outage.ts';
import type { Answer, Call } from '../../workflows/kernel/messages.ts';
import type { ActivityDeps } from './deps.ts';

type AnyCalls = Readonly<Record<string, (call: Call) => Promise<Answer>>>;

export const redactErrors = <C extends object>({ log }: ActivityDeps, calls: C): C =>
  Object.fromEntries(
    Object.entries(calls as AnyCalls).map(([name, make]) => [
      name,
      async (call: Call) => {
        try {
          return await make(call);
        } catch (error) {
          if (error instanceof ApplicationFailure || error instanceof CancelledFailure) throw error;
          log.error({ err: error, storeId: call.storeId, call: call.id }, 'a call failed');
          const type = isOutage(error) ? 'OUTAGE' : 'INTERNAL';
          throw ApplicationFailure.create({ type, message: type });
        }
      },
    ]),
  ) as C;
