import { setTimeout as sleep } from 'node:timers/promises';
import { findApproval } from '../../db/approvals/queries.ts';
import { type ApprovalView, staleFault, viewApproval } from '../../db/approvals/views.ts';
import { completeOperation } from '../../db/runs/operations.ts';
import type { Clock } from '../../db/kernel/clock.ts';
import type { Config } from '../../db/kernel/config.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import { COMMAND_MS } from '../declare/commands.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Approval, ApprovalDecision, StaleDetails } from './schemas.ts';
import { DECISION_ERRORS, type DecisionContext, sendDecision, storedOf } from './sendDecision.ts';
import { APPROVAL } from './subject.ts';

export const approve = endpoint({
  id: 'approvals.approve',
  route: 'POST /v1/approval-requests/{approvalId}/approve',
  summary:
    'Approve what an agent asked for: what its preview shows is carried out once, as the agent, with the rights that both of you have',
  access: 'store',
  console: ['OWNER', 'ADMIN'],
  agentAccess: 'none',
  agent: 'denied',
  target: APPROVAL,
  change: 'workflow',
  idempotent: true,
  body: ApprovalDecision,
  data: Approval,
  errors: [...DECISION_ERRORS, 'APPROVAL_STALE'],
  details: { APPROVAL_STALE: StaleDetails },
}).handle(async (call) => {
  const { record, round } = await sendDecision(call, 'approve');
  return call.outside(() => untilExecuted(call, round), record);
});

interface Execution extends DecisionContext {
  readonly deps: DecisionContext['deps'] & { readonly clock: Clock; readonly config: Config };
}
/**
 * The record when the execution has ended, at the latest 8 seconds after the request; it becomes the reply of the idempotency key.
 * APPROVAL_STALE where something came between the dry run and the execution, which has done nothing then.
 */
async function untilExecuted({ commands, params, realNow, deps }: Execution, round: number): Promise<ApprovalView> {
  const { clock, config } = deps;
  for (let gap = 20; ; gap = Math.min(gap * 2, 250)) {
    const isLate = clock.now() > realNow + COMMAND_MS;
    const record = await commands.read(async (tx) => {
      const approval = await findApproval(tx, params.approvalId);
      if (approval.executionRound !== round) {
        const fault = staleFault(approval.preview);
        await completeOperation(tx, commands.operation, storedOf(fault));
        return fault;
      }
      if (approval.status === 'EXECUTING' && !isLate) return null;
      const body = await viewApproval(tx, approval, { consoleUrl: config.mail.consoleUrl, keyring: null });
      await completeOperation(tx, commands.operation, { status: 200, body });
      return body;
    });
    if (record instanceof Fault) throw record;
    if (record) return record;
    await sleep(gap);
  }
}
