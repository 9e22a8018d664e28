/** Decisions: an early refusal, the dry run of what is about to be approved, then the command to the request's run. */
import type { ApprovalRequest } from '../../db/approvals/entities.ts';
import { approvalRun, findApproval, lockApproval } from '../../db/approvals/queries.ts';
import { previewDigestOf, stateOf } from '../../db/approvals/rows.ts';
import { type ApprovalView, STALE, staleFault } from '../../db/approvals/views.ts';
import type { Tx } from '../../db/kernel/tx.ts';
import { type StoredReply, storeReply } from '../../db/runs/operations.ts';
import { type ApprovalCommand, checkCommand } from '../../domain/approvals/machine.ts';
import type { Acting } from '../../domain/identity/actors.ts';
import type { Preview } from '../../domain/approvals/rules.ts';
import type { Role } from '../../domain/identity/rules.ts';
import { type ErrorCode, Fault } from '../../domain/kernel/errors.ts';
import type { Commands } from '../declare/commands.ts';
import { createSender } from '../declare/sender.ts';
import type { ApiDeps } from '../declare/deps.ts';
import { refusal } from '../web/envelope.ts';

export interface DecisionContext {
  readonly commands: Commands;
  readonly storeId: string;
  readonly at: number;
  readonly role: Role | null;
  readonly scopes: readonly string[];
  readonly person: { readonly userId: string } | null;
  readonly actor: Pick<Acting, 'via'> | null;
  readonly params: { readonly approvalId: string };
  readonly body: { readonly note?: string; readonly previewDigest?: string };
  readonly deps: Pick<ApiDeps, 'previewNow'>;
  readonly realNow: number;
  readonly requestId: string;
}
export const DECISION_ERRORS = ['APPROVAL_NOT_FOUND', 'APPROVAL_NOT_PENDING', 'APPROVAL_EXPIRED'] as const satisfies readonly ErrorCode[];

export interface Decided {
  readonly record: ApprovalView;
  /** Of the execution that follows an approval. */
  readonly round: number;
}
/**
 * Of several decisions about a request exactly one is carried out. The record right after it. An approval is of the preview that was
 * kept when it arrived, or of the one that it names: APPROVAL_STALE, under its key too, where another one is kept or would be by now.
 */
export async function sendDecision(call: DecisionContext, name: ApprovalCommand['name']): Promise<Decided> {
  const { commands, params, body } = call;
  const texts = body.note === undefined ? {} : { noteId: body.note };
  try {
    const { subject, reply } = await send(call, params.approvalId, (approval) => ({ ...commandOf(call, name, approval), texts }));
    return { record: reply.body as ApprovalView, round: subject.executionRound };
  } catch (error) {
    if (!isStale(error) || error.extra.details) throw error;
    throw await commands.read((tx) => stale(tx, call, null, null));
  }
}

const send = createSender({
  read: findApproval,
  check: async (approval, { name, input }: ApprovalCommand, call: DecisionContext) => {
    const command = { name, input } as ApprovalCommand;
    checkCommand(stateOf(approval), command, call.at);
    const now = name === 'approve' ? await previewNow(call, approval) : null;
    if (now) throw await call.commands.read((tx) => stale(tx, call, command, now));
  },
  send: (commands, approval, content: ApprovalCommand) => commands.send(approvalRun(approval.storeId, approval.approvalId), content),
});

function commandOf({ role, scopes, person, actor, body }: DecisionContext, name: ApprovalCommand['name'], approval: ApprovalRequest) {
  const via = actor?.via === 'MCP' ? 'MCP_ELICITATION' : 'CONSOLE';
  const digest = name === 'approve' ? { previewDigest: body.previewDigest ?? previewDigestOf(approval) } : {};
  return { name, input: { userId: person!.userId, role: role!, scopes: [...scopes], via, ...digest } } as ApprovalCommand;
}

const previewNow = ({ deps, person, scopes, ...times }: DecisionContext, approval: ApprovalRequest): Promise<Preview | null> =>
  deps.previewNow(approval, { userId: person!.userId, scopes }, times);

const isStale = (error: unknown): error is Fault => error instanceof Fault && error.code === STALE;

/**
 * APPROVAL_STALE with what is shown from now on, stored under the key in the same transaction: whoever sends the same again, without having
 * seen the answer, approves nothing that was not shown. `now`: what it would do, shown if the command could still be carried out; null: the
 * preview that is kept already.
 */
async function stale(tx: Tx, { commands, params }: DecisionContext, command: ApprovalCommand | null, now: Preview | null): Promise<Fault> {
  const approval = await lockApproval(tx, params.approvalId);
  try {
    if (command) checkCommand(stateOf(approval), command, tx.at);
    if (now) approval.preview = now;
  } catch (error) {
    // Another decision has been faster: with another preview, too.
    if (!isStale(error)) throw error;
  }
  const fault = staleFault(approval.preview);
  await storeReply(tx, commands.operation, storedOf(fault));
  return fault;
}

/** As a refusal is stored under a key. */
export function storedOf(fault: Fault): StoredReply {
  const { status, error: body } = refusal(fault);
  return { status, body };
}
