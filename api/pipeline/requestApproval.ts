/** Requests of agents that need a person's approval: stored with what they would do. */
import { createApproval } from '../../db/approvals/commands.ts';
import { inTenant, REQUEST } from '../../db/kernel/tx.ts';
import { deniedBy } from '../declare/agents.ts';
import { approvalAnswer } from './approvalAnswer.ts';
import { recordIn } from './audit.ts';
import type { Rehearsal } from '../preview/rehearse.ts';
import type { Answer } from '../declare/answer.ts';
import { replayIn } from './replay.ts';
import type { Request } from '../declare/request.ts';

/** Null when the request is allowed; otherwise AGENT_OPERATION_DENIED, or the answer to a request that waits from now on. */
export async function requestUnlessAllowed(request: Request, { decision, difference, preview }: Rehearsal): Promise<Answer | null> {
  if (decision.decision === 'ALLOW') return null;
  const { endpoint, deps, caller, incoming, input, operation, keyed } = request;
  const { actor, tokenRef } = caller;
  if (decision.decision === 'DENIED' || !actor || !tokenRef) throw deniedBy(endpoint, decision);
  const ifMatch = incoming.header('if-match');
  return inTenant(deps.orm, caller, REQUEST, async (tx) => {
    const created = await createApproval(tx, {
      operation,
      keyed,
      reason: decision.reason,
      actor,
      tokenRef,
      request: {
        method: endpoint.route.split(' ')[0]!,
        path: incoming.path,
        params: input.params,
        querystring: incoming.querystring,
        body: (await incoming.content()).sent ?? null,
        headers: ifMatch === undefined ? {} : { 'if-match': ifMatch },
      },
      preview,
      requiredScopes: endpoint.scopes ?? [],
      approverRole: endpoint.approver ?? 'ADMIN',
    });
    if (!created.approval) return replayIn(tx, request, created.stored);
    const { approval, isReplay } = created;
    const ended = {
      outcome: 'PENDING_APPROVAL',
      statusCode: 202,
      difference,
      approvalId: approval.approvalId,
      isReplayed: isReplay,
    } as const;
    await recordIn(tx, request, ended);
    return approvalAnswer(tx, created, deps);
  });
}
