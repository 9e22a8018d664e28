/** Forms without a session: the client returns the sealed state of the form together with the person's answer (G36). */
import { randomBytes } from 'node:crypto';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { SealLocation } from '../../db/kernel/keyring.ts';
import { inTenant, REQUEST } from '../../db/kernel/tx.ts';
import { completeOperation, reserveOperation } from '../../db/runs/operations.ts';
import type { ApiDeps } from '../declare/deps.ts';
import type { McpCaller } from './caller.ts';
import { type Confirm, elicitationOf, isConfirmed, type Question } from './form.ts';

interface FormAnswer {
  /** By the names of the input requests. */
  readonly answer: Readonly<Record<string, unknown>>;
  readonly state: unknown;
}
/** What a form is for; together with the subject, to which it is sealed. */
interface State extends Pick<Question, 'approvalId' | 'decision' | 'note' | 'previewDigest'> {
  readonly nonce: string;
  /** Real milliseconds. */
  readonly expiresAt: number;
}
const invalid = () => new McpError(ErrorCode.InvalidParams, 'The requestState is of another form, was used, or has expired');

/** An answer without the state that was given shows the form again; with one that is used, expired or of another form it is an error. */
export const confirmByState =
  ({ answer, state }: FormAnswer, caller: McpCaller, deps: ApiDeps): Confirm =>
  async (question) => {
    const location: SealLocation = { store: caller.storeId, table: 'mcp_form', row: caller.principal, column: 'state' };
    if (typeof state !== 'string' || !('confirm' in answer)) return input(question, location, deps);
    const { approvalId, decision, note, previewDigest, nonce, expiresAt } = opened(state, location, deps);
    const isFor = approvalId === question.approvalId && decision === question.decision && note === question.note;
    // The state of an earlier version names no preview.
    if (!isFor || previewDigest === undefined || expiresAt <= deps.clock.now()) throw invalid();
    await consume(nonce, caller, deps);
    return { isConfirmed: isConfirmed(answer['confirm']), previewDigest };
  };

function input(question: Question, location: SealLocation, { keyring, clock, config }: ApiDeps) {
  const { approvalId, decision, note, previewDigest } = question;
  const nonce = randomBytes(16).toString('base64url');
  const state: State = { approvalId, decision, note, previewDigest, nonce, expiresAt: clock.now() + config.mcpFormMs };
  return {
    inputRequests: { confirm: { method: 'elicitation/create', params: elicitationOf(question) } },
    requestState: keyring.seal(JSON.stringify(state), location),
  };
}

function opened(state: string, location: SealLocation, { keyring }: ApiDeps): State {
  try {
    return JSON.parse(keyring.open(state, location)) as State;
  } catch {
    throw invalid();
  }
}

/** A form is good once, for all processes: its nonce is stored like an idempotency key. */
async function consume(nonce: string, caller: McpCaller, { orm }: ApiDeps): Promise<void> {
  const operation = { principal: caller.principal, key: `form/${nonce}`, id: 'approvals.decide', fingerprint: nonce };
  const isFirst = await inTenant(orm, caller, REQUEST, async (tx) => {
    if ((await reserveOperation(tx, operation)) !== 'new') return false;
    await completeOperation(tx, operation, { status: 200, body: null });
    return true;
  });
  if (!isFirst) throw invalid();
}
