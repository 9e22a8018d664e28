/** The form with which a person confirms a decision in their client (G36, G37). */
import type { ApprovalRequest } from '../../db/approvals/entities.ts';

export interface Question {
  readonly approvalId: string;
  readonly decision: 'approve' | 'reject';
  /** What the record will say that the person noted; empty: nothing. */
  readonly note: string;
  readonly message: string;
  /** Of the preview in the message: nothing else is approved (G51). */
  readonly previewDigest: string;
}
/** What the person answered, and to which preview. */
export interface Confirmation extends Pick<Question, 'previewDigest'> {
  readonly isConfirmed: boolean;
}
/** A result of protocol 2026-07-28: the client shows the form and calls again, with the answer and this state. */
export interface InputRequired {
  readonly inputRequests: Readonly<Record<string, object>>;
  readonly requestState: string;
}
/** Shows the form. Confirmed: the person accepted it with the box ticked. A late or repeated answer is a JSON-RPC error. */
export type Confirm = (question: Question) => Promise<Confirmation | InputRequired>;

const FORM = {
  type: 'object' as const,
  properties: { confirm: { type: 'boolean' as const, title: 'Confirm' } },
  required: ['confirm'],
};
/** The parameters of `elicitation/create`. */
export const elicitationOf = ({ message }: Question) => ({ mode: 'form' as const, message, requestedSchema: FORM });

/** Only accept with `confirm: true` decides. */
export function isConfirmed(answer: unknown): boolean {
  const { action, content } = (answer ?? {}) as { readonly action?: unknown; readonly content?: { readonly confirm?: unknown } | null };
  return action === 'accept' && content?.confirm === true;
}

/** `elicitation: {}` means forms, too; `{ url: {} }` alone does not. */
export function showsForms(capabilities: unknown): boolean {
  const { elicitation } = (capabilities ?? {}) as { readonly elicitation?: unknown };
  if (typeof elicitation !== 'object' || elicitation === null) return false;
  return 'form' in elicitation || !('url' in elicitation);
}

const MAX_LINES = 100;
const MAX_VALUE = 200;

/** Whether the form shows all of a preview: nobody approves what they have not seen (G51). What does not fit is decided in the browser (G37). */
export function fitsForm({ preview: { changes, facts } }: Pick<ApprovalRequest, 'preview'>): boolean {
  const values = [...changes.flatMap(({ field, before, after }) => [field, json(before), json(after)]), ...Object.values(facts).map(json)];
  return changes.length + Object.keys(facts).length <= MAX_LINES && values.every((text) => text.length <= MAX_VALUE);
}

/**
 * What is decided on: operation, target, amounts and changes, one line each, and the note, which the AI wrote and the record will call the
 * person's. Values are quoted, so that none can pass for a line of ours; what is cut ends in an ellipsis.
 */
export function messageOf(
  { operationId, preview, actorName, approvalId }: ApprovalRequest,
  { decision, note }: Pick<Question, 'decision' | 'note'>,
): string {
  const { target, changes, facts } = preview;
  const lines = [
    ...Object.entries(facts).map(([name, fact]) => `- ${name}: ${value(fact)}`),
    ...changes.map(({ field, before, after }) => `- ${printed(field)}: ${value(before)} → ${value(after)}`),
  ];
  return [
    `${decision === 'approve' ? 'Approve and carry out' : 'Reject'} ${operationId}${target ? ` of ${target.type}${target.id === null ? '' : ` ${target.id}`}` : ''}?`,
    `Requested by ${value(actorName)} (${approvalId}).`,
    ...(note === '' ? [] : [`Your note: ${quoted(note)}`]),
    ...lines.slice(0, MAX_LINES),
    ...(lines.length > MAX_LINES ? [`… and ${lines.length - MAX_LINES} more`] : []),
  ].join('\n');
}

const printed = (text: string): string =>
  `${text.slice(0, MAX_VALUE).replaceAll(/\p{C}/gu, '\ufffd')}${text.length > MAX_VALUE ? '…' : ''}`;
const json = (given: unknown): string => JSON.stringify(given ?? null);
const value = (given: unknown): string => printed(json(given));
/** In full: its length is limited where it is sent. */
const quoted = (text: string): string => JSON.stringify(text).replaceAll(/\p{C}/gu, '\ufffd');
