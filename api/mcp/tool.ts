/** What a tool is, for both generations of the protocol. */
import type { Sender } from '../pipeline/dispatch.ts';
import type { McpCaller } from './caller.ts';
import type { Envelope } from '../web/envelope.ts';
import type { Static, TSchema } from '../declare/schema.ts';
import type { Confirm, InputRequired } from './form.ts';

/** Who calls a tool, and what their client can do. */
export interface ToolContext extends Sender {
  readonly caller: McpCaller;
  /** The same caller with the rights of now; UNAUTHORIZED where the login has ended. */
  readonly reauthenticate: () => Promise<McpCaller>;
  /** Null: the client shows no forms. */
  readonly confirm: Confirm | null;
}
/** What a tool answers; an envelope where it is a refusal. */
export interface ToolResult {
  readonly structuredContent: object;
  readonly isError: boolean;
}
export const resultOf = (structuredContent: object): ToolResult => ({ structuredContent, isError: false });
export const resultOfEnvelope = (envelope: Envelope): ToolResult => ({ structuredContent: envelope, isError: !envelope.meta.isSuccess });

export interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
}
export interface Tool<S extends TSchema = TSchema> {
  readonly name: string;
  readonly description: string;
  readonly input: S;
  readonly hints: ToolHints;
  readonly run: (input: Static<S>, context: ToolContext) => ToolResult | InputRequired | Promise<ToolResult | InputRequired>;
}
export const tool = <S extends TSchema>(declared: Tool<S>): Tool => declared;
export const READS: ToolHints = { readOnlyHint: true, destructiveHint: false };
export const CHANGES: ToolHints = { readOnlyHint: false, destructiveHint: true };
