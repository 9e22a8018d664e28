/**
 * Protocol 2026-07-28, which the SDK does not have: no session, every request brings its version and capabilities in `_meta`, and a tool
 * that wants a form answers `input_required`. Headers and body have to agree; refusals and their order are those of the official
 * `@modelcontextprotocol/server`.
 */
import { ErrorCode, isJSONRPCNotification, isJSONRPCRequest, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { ApiDeps } from '../declare/deps.ts';
import { showsForms } from './form.ts';
import { contentOf, INSTRUCTIONS, rpcRefusal, SERVER_INFO } from './protocol.ts';
import { confirmByState } from './state.ts';
import type { ToolContext } from './tool.ts';
import type { Tools } from './tools.ts';

const VERSION = '2026-07-28';
const [HEADER_MISMATCH, UNSUPPORTED_VERSION] = [-32_020, -32_022];
const [VERSION_KEY, CAPABILITIES_KEY, SERVER_KEY] = ['protocolVersion', 'clientCapabilities', 'serverInfo'].map(
  (name) => `io.modelcontextprotocol/${name}`,
) as [string, string, string];
/** What everybody sees alike for an hour. */
const CACHE = { ttlMs: 3_600_000, cacheScope: 'private' } as const;

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
const metaOf = (body: unknown): Json => {
  const params = isObject(body) ? body['params'] : undefined;
  const meta = isObject(params) ? params['_meta'] : undefined;
  return isObject(meta) ? meta : {};
};
const isOurs = (version: unknown): boolean => typeof version === 'string' && version >= VERSION;

/** Whether a message is of this generation: its `_meta` says so, or the header of a single request or notification does. */
export function isStateless(body: unknown, request: Request): boolean {
  if (VERSION_KEY in metaOf(body)) return true;
  const isSingle = isJSONRPCRequest(body) || isJSONRPCNotification(body);
  return isSingle && isOurs(request.headers.get('mcp-protocol-version'));
}

type Connection = Omit<ToolContext, 'confirm'>;
interface Message {
  readonly id: string | number;
  readonly method: string;
  readonly params: Json;
  readonly meta: Json;
}

export async function serveStateless(
  request: Request,
  body: unknown,
  tools: Tools,
  connection: Connection,
  deps: ApiDeps,
): Promise<Response> {
  if (isJSONRPCNotification(body)) return new Response(null, { status: 202 });
  if (!isJSONRPCRequest(body)) return rpcRefusal(400, ErrorCode.InvalidRequest, 'The body is no JSON-RPC request');
  const { id, method, params = {} } = body;
  const message: Message = { id, method, params, meta: metaOf(body) };
  const refused = envelopeProblem(message) ?? headerProblem(message, request);
  if (refused) return refused;
  try {
    const result = await resultOf(message, tools, connection, deps);
    if (result === null) return rpcRefusal(404, ErrorCode.MethodNotFound, 'Method not found', { id });
    return Response.json({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...result, _meta: { [SERVER_KEY]: SERVER_INFO } } });
  } catch (error) {
    if (!(error instanceof McpError)) throw error;
    return rpcRefusal(200, error.code, error.message, { id, data: error.data });
  }
}

/** Null: there is no such method. */
async function resultOf({ method, params, meta }: Message, tools: Tools, connection: Connection, deps: ApiDeps): Promise<object | null> {
  if (method === 'server/discover')
    return { supportedVersions: [VERSION], capabilities: { tools: {} }, instructions: INSTRUCTIONS, ...CACHE };
  if (method === 'tools/list') return { tools: tools.listed, ...CACHE };
  if (method !== 'tools/call') return null;
  const { name, arguments: input, inputResponses, requestState } = params;
  if (typeof name !== 'string') throw new McpError(ErrorCode.InvalidParams, 'params.name is missing');
  const answered = { answer: isObject(inputResponses) ? inputResponses : {}, state: requestState };
  const confirm = showsForms(meta[CAPABILITIES_KEY]) ? confirmByState(answered, connection.caller, deps) : null;
  const result = await tools.call(name, input, { ...connection, confirm });
  return 'requestState' in result ? { resultType: 'input_required', ...result } : contentOf(result);
}

function envelopeProblem({ id, meta }: Message): Response | null {
  const missing = [VERSION_KEY, CAPABILITIES_KEY].filter((key) => !(key in meta));
  if (missing.length > 0)
    return rpcRefusal(400, ErrorCode.InvalidParams, `Missing in params._meta: ${missing.join(', ')}`, {
      id,
      data: { envelope: { missing } },
    });
  const isInvalid = typeof meta[VERSION_KEY] !== 'string' || !isObject(meta[CAPABILITIES_KEY]);
  return isInvalid ? rpcRefusal(400, ErrorCode.InvalidParams, 'params._meta has a wrong version or wrong capabilities', { id }) : null;
}

function headerProblem({ id, method, params, meta }: Message, { headers }: Request): Response | null {
  const version = meta[VERSION_KEY] as string;
  const mismatch = (name: string, expected: string) =>
    rpcRefusal(400, HEADER_MISMATCH, `The header ${name} and the body disagree`, {
      id,
      data: { mismatch: { header: headers.get(name) ?? '(missing)', body: expected } },
    });
  const [sentVersion, sentMethod, sentName] = ['mcp-protocol-version', 'mcp-method', 'mcp-name'].map((name) => headers.get(name));
  if (sentVersion !== null && sentVersion !== version) return mismatch('MCP-Protocol-Version', version);
  if (sentMethod !== null && sentMethod !== method) return mismatch('Mcp-Method', method);
  if (version !== VERSION)
    return rpcRefusal(400, UNSUPPORTED_VERSION, 'Unsupported protocol version', { id, data: { supported: [VERSION], requested: version } });
  if (sentVersion === null) return mismatch('MCP-Protocol-Version', version);
  if (sentMethod === null) return mismatch('Mcp-Method', method);
  const { name } = params;
  if (method !== 'tools/call' || typeof name !== 'string') return null;
  return decoded(sentName ?? null) === name ? null : mismatch('Mcp-Name', name);
}

/** A value that is no header text comes as `=?base64?…?=`. */
function decoded(header: string | null): string | null {
  const [, encoded] = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(header ?? '') ?? [];
  return encoded === undefined ? header : Buffer.from(encoded, 'base64').toString('utf8');
}
