/** The form with which a person confirms a decision in their client (G36). */
import type { ApprovalRequest } from '../../db/approvals/entities.ts';
import type { Preview } from '../../domain/approvals/rules.ts';

export interface Question {
  readonly approvalId: string;
  readonly decision: 'approve' | 'reject';
  /** What the record will say that the person noted; empty: nothing. */
  readonly note: string;
  readonly message: string;
  /** Of the preview in the message: nothing else is approved. */
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

interface Line {
  readonly name: string;
  /** Its values, as JSON. */
  readonly values: readonly string[];
}
const json = (given: unknown): string => JSON.stringify(given ?? null);

/** A line for each fact and each field of what was sent; of records, and lists of them, for each of their fields. */
function linesOf(name: string, value: unknown): readonly Line[] {
  const isRecord = (one: unknown): one is object => typeof one === 'object' && one !== null && !Array.isArray(one);
  if (Array.isArray(value) && value.length > 0 && value.every(isRecord)) return value.flatMap((one, i) => linesOf(`${name}[${i}]`, one));
  if (isRecord(value) && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([field, inner]) => linesOf(`${name}.${field}`, inner));
  return [{ name, values: [json(value)] }];
}
/** What is decided on; amounts stand first. */
function shownLines({ changes, facts, request }: Preview): readonly Line[] {
  return [
    ...Object.entries(facts).flatMap(([name, fact]) => linesOf(name, fact)),
    ...(['params', 'query', 'body'] as const).flatMap((part) =>
      Object.entries(request?.[part] ?? {}).flatMap(([name, value]) => linesOf(`request.${part}.${name}`, value)),
    ),
    ...(request && request.unshown.length > 0 ? [{ name: 'request.unshown', values: [json(request.unshown)] }] : []),
    ...changes.map(({ field, before, after }) => ({ name: field, values: [json(before), json(after)] })),
  ];
}

/**
 * Whether the form shows all of a preview and of what was sent: nobody approves what they have not seen. What does not fit, or is not
 * to be shown, is decided in the browser, and so is a request that was made by a version before.
 */
export function fitsForm({ preview }: Pick<ApprovalRequest, 'preview'>): boolean {
  const { request, facts } = preview;
  if (!request || request.unshown.length > 0 || facts['stepsTruncated'] === true) return false;
  const lines = shownLines(preview);
  return lines.length <= MAX_LINES && lines.every(({ name, values }) => [name, ...values].every((text) => text.length <= MAX_VALUE));
}

/**
 * What is decided on: operation, target, amounts, what was sent and changes, one line each, and the note, which the AI wrote and the record
 * will call the person's. Values are quoted, so that none can pass for a line of ours; what is cut ends in an ellipsis.
 */
export function messageOf(
  { operationId, preview, actorName, approvalId }: ApprovalRequest,
  { decision, note }: Pick<Question, 'decision' | 'note'>,
): string {
  const { target } = preview;
  const lines = shownLines(preview).map(({ name, values }) => `- ${printed(name)}: ${values.map(printed).join(' → ')}`);
  const verb = decision === 'approve' ? 'Approve and carry out' : 'Reject';
  const id = target === null || target.id === null ? '' : ` ${printed(target.id)}`;
  const subject = target ? ` of ${target.type}${id}` : '';
  return [
    `${verb} ${operationId}${subject}?`,
    `Requested by ${printed(json(actorName))} (${approvalId}).`,
    ...(note === '' ? [] : [`Your note: ${quoted(note)}`]),
    ...lines.slice(0, MAX_LINES),
    ...(lines.length > MAX_LINES ? [`… and ${lines.length - MAX_LINES} more`] : []),
  ].join('\n');
}

/** Separators, odd and invisible spaces, controls and marks of direction: a line of the form begins and ends where we say. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;
const printable = (text: string): string => text.replaceAll(UNPRINTABLE, '\ufffd');
const printed = (text: string): string => `${printable(text.slice(0, MAX_VALUE))}${text.length > MAX_VALUE ? '…' : ''}`;
/** In full: its length is limited where it is sent. */
const quoted = (text: string): string => printable(JSON.stringify(text));
