/** Clients of `/mcp`: the official ones of both generations, and bare HTTP. */
import { Client as StatelessClient, StreamableHTTPClientTransport as StatelessTransport } from '@modelcontextprotocol/client';
import { Client as SessionClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as SessionTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type ElicitResult, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { loginThrough, registerApp } from './login.ts';
import { underTest, type World } from './world.ts';

export const mcpAddress = (api = underTest.api): string => `${api}/mcp`;
export const emailOf = ({ store }: World, role: string): string => `${role}@${store.storeCode}.example`;

/** A person's token for `/mcp`, through a new client of the store. */
export async function mcpToken(
  shop: World,
  owner: string,
  role: string,
  scope = 'order:rw product:rw category:rw store:rw audit:r',
): Promise<{ readonly token: string; readonly clientId: string }> {
  const { client_id: clientId } = await registerApp(owner, { scope });
  const { access_token: token } = await loginThrough(clientId, emailOf(shop, role), null, { resource: mcpAddress() });
  return { token, clientId };
}

export interface Called {
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of many shapes
  readonly structuredContent: any;
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly isError?: boolean;
}
export interface McpClient {
  readonly call: (name: string, input?: object) => Promise<Called>;
  readonly tools: () => Promise<readonly { readonly name: string }[]>;
  readonly close: () => Promise<void>;
}
export type Generation = '2025-11-25' | '2026-07-28';
export const GENERATIONS: readonly Generation[] = ['2025-11-25', '2026-07-28'];
interface Person {
  /** What the person answers to a form; absent: the client shows none. */
  readonly answer?: (form: { readonly message: string; readonly requestedSchema: unknown }) => Promise<object> | object;
  readonly capabilities?: object;
}

/** An official client of this generation, connected. */
export async function connect(
  generation: Generation,
  token: string,
  { answer, capabilities }: Person = {},
  api = underTest.api,
): Promise<McpClient> {
  const options = { requestInit: { headers: { authorization: `Bearer ${token}` } } };
  const url = new URL(mcpAddress(api));
  const info = { name: 'test', version: '1' };
  const declared = capabilities ?? (answer ? { elicitation: {} } : {});
  if (generation === '2025-11-25') {
    const client = new SessionClient(info, { capabilities: declared });
    if (answer) client.setRequestHandler(ElicitRequestSchema, async ({ params }) => (await answer(params as never)) as ElicitResult);
    const transport = new SessionTransport(url, options);
    await client.connect(transport);
    return {
      call: async (name, input = {}) => (await client.callTool({ name, arguments: { ...input } })) as unknown as Called,
      tools: async () => (await client.listTools()).tools,
      close: async () => {
        await transport.terminateSession();
        await client.close();
      },
    };
  }
  const client = new StatelessClient(info, { versionNegotiation: { mode: 'auto' }, capabilities: declared });
  if (answer) client.setRequestHandler('elicitation/create', async ({ params }) => (await answer(params as never)) as ElicitResult);
  await client.connect(new StatelessTransport(url, options));
  if (client.getProtocolEra() !== 'modern') throw new Error('The client fell back to sessions');
  return {
    call: async (name, input = {}) => (await client.callTool({ name, arguments: { ...input } })) as unknown as Called,
    tools: async () => (await client.listTools()).tools,
    close: () => client.close(),
  };
}

/** Bare HTTP, as a client that is no official one sends it. */
export const post = (token: string | null, body: unknown, headers: Readonly<Record<string, string>> = {}, api = underTest.api) =>
  fetch(mcpAddress(api), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

const META = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
/** A tool call of protocol 2026-07-28. */
export const callBare = async (token: string, name: string, input: object, more: object = {}, api = underTest.api) => {
  const params = { name, arguments: input, ...more, _meta: META };
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name };
  const response = await post(token, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers, api);
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of many shapes
  return { status: response.status, body: (await response.json()) as any };
};

/** Begins a session by bare HTTP. */
export async function beginSession(token: string): Promise<string> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bare', version: '1' } };
  const response = await post(token, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
  await response.text();
  return response.headers.get('mcp-session-id')!;
}
