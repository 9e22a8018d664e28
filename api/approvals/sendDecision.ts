/** Decisions: an early refusal, then the command to the request's run. */
import { approvalRun, findApproval } from '../../db/approvals/queries.ts';
import { stateOf } from '../../db/approvals/rows.ts';
import type { ApprovalView } from '../../db/approvals/views.ts';
import { type ApprovalCommand, checkCommand } from '../../domain/approvals/machine.ts';
import type { Acting } from '../../domain/identity/actors.ts';
import type { Role } from '../../domain/identity/rules.ts';
import type { ErrorCode } from '../../domain/kernel/errors.ts';
import type { Commands } from '../kernel/commands.ts';

export interface DecisionContext {
  readonly commands: Commands;
  readonly storeId: string;
  readonly at: number;
  readonly role: Role | null;
  readonly scopes: readonly string[];
  readonly person: { readonly userId: string } | null;
  readonly actor: Pick<Acting, 'via'> | null;
  readonly params: { readonly approvalId: string };
  readonly body: { readonly note?: string };
}
export const DECISION_ERRORS = ['APPROVAL_NOT_FOUND', 'APPROVAL_NOT_PENDING', 'APPROVAL_EXPIRED'] as const satisfies readonly ErrorCode[];

/** Of several decisions about a request exactly one is carried out (G24). The record right after it. */
export async function sendDecision(call: DecisionContext, name: ApprovalCommand['name']): Promise<ApprovalView> {
  const { commands, storeId, at, role, scopes, person, actor, params, body } = call;
  const via = actor?.via === 'MCP' ? 'MCP_ELICITATION' : 'CONSOLE';
  const approval = await commands.read((tx) => findApproval(tx, params.approvalId));
  const command: ApprovalCommand = { name, input: { userId: person!.userId, role: role!, scopes: [...scopes], via } };
  checkCommand(stateOf(approval), command, at);
  const note = body.note === undefined ? {} : { noteId: await commands.storeText(body.note) };
  const reply = await commands.send(approvalRun(storeId, approval.approvalId), { name, input: { ...command.input, ...note } });
  return reply.body as ApprovalView;
}
