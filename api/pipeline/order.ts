/**
 * What happens to a request, in this order, wherever it comes from: over HTTP (mount.ts) or through `/mcp` (dispatch.ts). The execution of
 * an approved request (approvals/execute.ts) begins at PERFORM. docs/architecture.md#endpoints shows the same list.
 */
import { checkAnswer, checkRights, identify, readBody, recordRefusals, refuseFirst, refuseReserved, takeTurn, validate } from './accept.ts';
import { carryOut } from './carryOut.ts';
import { announceChange, countAgentAction, extendGuestSession, lockMember, recordSuccess } from './hooks.ts';
import { answerDryRun, checkAiQuota, requestApproval, prepare, replayStored, storeRefusals, verifyPassword } from './perform.ts';
import { Steps } from './step.ts';
import type { TransactionHooks } from './transact.ts';

/** Of a request as it arrived. Roles and scopes come before the body, and all problems of the body at once. */
export const ACCEPT = Steps.first(identify)
  .next(recordRefusals)
  .next(checkRights)
  .next(refuseReserved)
  .next(refuseFirst)
  .next(readBody)
  .next(checkAnswer)
  .next(takeTurn)
  .next(validate)
  .last(function perform(request) {
    return PERFORM.walk(request);
  });

/** What its transaction does beside its handler. */
const HOOKS: TransactionHooks = {
  /** Before anything else, the row of its key too: a withdrawal and a change of the same member come one after the other. */
  opened: [lockMember],
  /** When its key has no reply yet, before the handler. */
  begun: [extendGuestSession],
  /** Its last statements, after the handler: they are sent at once, and Postgres carries them out in this order. */
  ending: [recordSuccess, countAgentAction, announceChange],
};

/** Of a request that has passed every check. */
export const PERFORM = Steps.first(answerDryRun)
  .next(verifyPassword)
  .next(replayStored)
  .next(storeRefusals)
  .next(checkAiQuota)
  .next(requestApproval)
  .next(prepare)
  .last(carryOut(HOOKS));
