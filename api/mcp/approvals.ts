/** The tools with which a person decides in their client what agents asked for (G35). */
import type { ApprovalRequest } from '../../db/approvals/entities.ts';
import { findApproval, isFiledBy, statusNow } from '../../db/approvals/queries.ts';
import { previewDigestOf, stateOf } from '../../db/approvals/rows.ts';
import { approvalUrl, staleFault } from '../../db/approvals/views.ts';
import { inTenant, REQUEST } from '../../db/kernel/tx.ts';
import { newId } from '../../db/kernel/clock.ts';
import { checkCommand } from '../../domain/approvals/machine.ts';
import { APPROVAL_STATUSES } from '../../domain/approvals/rules.ts';
import { covers, type Role } from '../../domain/identity/rules.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { StoreCaller } from '../callers/authenticate.ts';
import type { ApiDeps } from '../declare/deps.ts';
import type { Dispatcher } from '../pipeline/dispatch.ts';
import type { McpCaller } from './caller.ts';
import type { Envelope } from '../web/envelope.ts';
import { closed, Id, oneOf, Type } from '../declare/schema.ts';
import { fitsForm, messageOf } from './form.ts';
import { CHANGES, READS, resultOf, resultOfEnvelope, type Tool, tool, type ToolResult } from './tool.ts';

const PATH = '/v1/approval-requests';
/** Newest first; older ones are read over HTTP. */
const MAX_LISTED = 100;
const DecisionInput = closed({
  approvalId: Id,
  decision: oneOf(['approve', 'reject']),
  note: Type.Optional(Type.String({ maxLength: 500 })),
  previewDigest: Type.Optional(
    Type.String({ maxLength: 64, description: 'Of the record that was read: another preview is not shown for approval' }),
  ),
});

const decideTool = (dispatch: Dispatcher, deps: ApiDeps): Tool =>
  tool({
    name: 'approvals_decide',
    description:
      'Approves or rejects an approval request. The person confirms it in a form of their client; without one, or where it is too small, in the browser.',
    input: DecisionInput,
    hints: CHANGES,
    run: async ({ approvalId, decision, note = '', previewDigest: named }, context) => {
      const { caller, confirm } = context;
      const approval = await decidable(approvalId, personOf(caller), deps);
      const shown = previewDigestOf(approval);
      if (decision === 'approve' && named !== undefined && named !== shown) throw staleFault(approval.preview);
      if (!confirm || (decision === 'approve' && !fitsForm(approval))) {
        const url = approvalUrl(deps.config.mail.consoleUrl, approvalId);
        return resultOf({ approvalId, status: statusNow(approval, caller.at), approvalUrl: url });
      }
      const answered = await confirm({
        approvalId,
        decision,
        note,
        message: messageOf(approval, { decision, note }),
        previewDigest: shown,
      });
      if (!('isConfirmed' in answered)) return answered;
      const { isConfirmed: confirmed, previewDigest } = answered;
      if (!confirmed) return resultOf({ approvalId, status: statusNow(approval, caller.at), confirmed });
      const person = personOf(await context.reauthenticate());
      await decidable(approvalId, person, deps);
      const request = {
        method: 'POST',
        path: `${PATH}/${encodeURIComponent(approvalId)}/${decision}`,
        body: { ...(note !== '' && { note }), ...(decision === 'approve' && { previewDigest }) },
        headers: { 'idempotency-key': newId('req', deps.clock.now()) },
      };
      const envelope = await dispatch(request, { ...context, caller: person });
      return dataOf(envelope, (data) => data as object);
    },
  });

export const approvalTools = (dispatch: Dispatcher, deps: ApiDeps): readonly Tool[] => [
  tool({
    name: 'approvals_list',
    description:
      'Lists what agents of this store asked for and a person has to decide, newest first; PENDING unless status says otherwise.',
    input: closed({ status: Type.Optional(Type.String({ description: `Any of ${APPROVAL_STATUSES.join(', ')}, separated by commas` })) }),
    hints: READS,
    run: async ({ status = 'PENDING' }, context) => {
      const query = { status, size: MAX_LISTED };
      const envelope = await dispatch({ method: 'GET', path: PATH, query }, { ...context, caller: personOf(context.caller) });
      return dataOf(envelope, (data) => ({ items: (data as { readonly items: unknown }).items }));
    },
  }),
  tool({
    name: 'approvals_get',
    description: 'Shows an approval request with the request that it stands for, what it would change, and how it was decided.',
    input: closed({ approvalId: Id }),
    hints: READS,
    run: async ({ approvalId }, context) => {
      const request = { method: 'GET', path: `${PATH}/${encodeURIComponent(approvalId)}` };
      const { caller } = context;
      const isOwn = await inTenant(deps.orm, caller, REQUEST, (tx) => isFiledBy(tx, approvalId, caller.principal));
      const envelope = await dispatch(request, isOwn ? context : { ...context, caller: personOf(caller) });
      return dataOf(envelope, (data) => data as object);
    },
  }),
  decideTool(dispatch, deps),
];

/** The person behind the client, for what people do: INSUFFICIENT_ROLE, INSUFFICIENT_SCOPE. Their decisions are theirs. */
function personOf(caller: McpCaller): StoreCaller & { readonly role: Role; readonly userId: string } {
  const { role, scopes, userId } = caller;
  if (role !== 'OWNER' && role !== 'ADMIN') throw new Fault('INSUFFICIENT_ROLE');
  if (!covers(scopes, 'store:rw')) throw new Fault('INSUFFICIENT_SCOPE', { details: { required: ['store:rw'] } });
  return {
    ...caller,
    role,
    isAgent: false,
    tokenOrigin: 'console',
    actor: { type: 'USER', id: userId, name: null, via: 'MCP', onBehalfOf: null },
  };
}

/** The request, when this person could approve it now: through `/mcp` a rejection needs as much. */
async function decidable(approvalId: string, person: ReturnType<typeof personOf>, { orm }: ApiDeps): Promise<ApprovalRequest> {
  const approval = await inTenant(orm, person, REQUEST, (tx) => findApproval(tx, approvalId));
  const { userId, role, scopes, at } = person;
  checkCommand(stateOf(approval), { name: 'approve', input: { userId, role, scopes: [...scopes], via: 'MCP_ELICITATION' } }, at);
  return approval;
}

/** The data of a success; a refusal is its envelope. */
const dataOf = (envelope: Envelope, shown: (data: unknown) => object): ToolResult =>
  envelope.meta.isSuccess ? resultOf(shown(envelope.data)) : resultOfEnvelope(envelope);
