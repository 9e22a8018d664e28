import { readNoticeMail } from '../db/approvals/noticeTransition.ts';
import { inTenant, REQUEST } from '../db/kernel/tx.ts';
import { runTransition } from '../db/transitions.ts';
import type { Answer, Call, Calls, Outcome } from '../workflows/kernel/messages.ts';
import { completeCall, plannedAt } from './kernel/completeCall.ts';
import type { ActivityDeps } from './kernel/deps.ts';
import { withHeartbeat } from './kernel/heartbeat.ts';
import type { RunActivities } from './kernel/transition.ts';
import { approvalMail } from './mail/approval.ts';
import { createMailer } from './mail/mailer.ts';
import type { Executor } from './providers/execution.ts';

export const approval: RunActivities<'approval'> = { calls: executionCalls };

export const approvalNotice: RunActivities<'approvalNotice'> = {
  calls: noticeCalls,
};

/** Both may be called any number of times, on any worker: the execution has a key of its own. */
function executionCalls(deps: ActivityDeps): Calls<'approval'> {
  const { executor } = deps;
  const answered = async (call: Call<'approval'>, how: Executor['execute']): Promise<Answer<'approval'>> => {
    const { storeId } = call;
    const { approvalId, clock } = call.input;
    const at = plannedAt(call, deps);
    const executed = await how({ storeId, approvalId, at, ...(clock !== undefined && { clock }) });
    const outcome: Outcome<'approval'> = executed ? { result: 'DONE', ...executed } : { result: 'UNKNOWN' };
    return completeCall(deps, runTransition('approval', deps), call, { entityId: approvalId, outcome, at, clock });
  };
  return {
    execute: (call) => withHeartbeat(() => answered(call, executor.execute)),
    findExecution: (call) => withHeartbeat(() => answered(call, executor.find)),
  };
}

/** Every try of a mail has the same Message-ID, so that mail programs show duplicates once. */
function noticeCalls(deps: ActivityDeps): Calls<'approvalNotice'> {
  const { orm, config, clock } = deps;
  const mailer = createMailer(deps);
  return { sendApprovalNotice: (call) => withHeartbeat(() => send(call)) };

  async function send(call: Call<'approvalNotice'>): Promise<Outcome<'approvalNotice'>> {
    const { storeId } = call;
    const { round, userId } = call.input;
    const tenancy = { storeId, at: plannedAt(call, deps), realNow: clock.now() };
    const mail = await inTenant(orm, tenancy, REQUEST, (tx) => readNoticeMail(tx, round, userId));
    if (!mail) return { result: 'SKIPPED' };
    const text = approvalMail(mail, config.mail.consoleUrl);
    const { result } = await mailer.send({ ...text, to: mail.email, id: `${storeId}-approvals-${round}-${userId}` });
    return { result };
  }
}
