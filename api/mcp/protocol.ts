/** What both generations of the protocol share. */
import { VERSION } from '../web/version.ts';
import type { ToolResult } from './tool.ts';

export const SERVER_INFO = { name: 'sangjeom', version: VERSION } as const;
export const INSTRUCTIONS =
  'The management API of one store. Find operations with api_search, try changes with api_call and dryRun, then call them. ' +
  'What needs a person answers APPROVAL_REQUIRED with an approvalUrl; approvals_decide has the person confirm it in a form.';

/** A JSON-RPC error as an HTTP answer. */
export const rpcRefusal = (
  status: number,
  code: number,
  message: string,
  { id = null, data }: { readonly id?: unknown; readonly data?: unknown } = {},
): Response => Response.json({ jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } }, { status });

/** The result of a tool call: the same JSON structured and as text. */
export const contentOf = ({ structuredContent, isError }: ToolResult) => ({
  content: [{ type: 'text' as const, text: JSON.stringify(structuredContent) }],
  structuredContent: structuredContent as Record<string, unknown>,
  ...(isError && { isError }),
});
