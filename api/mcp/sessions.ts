/**
 * Protocol 2025-11-25 and before: sessions of this process, each with a server of the SDK, bound to the subject that began it (G32). What
 * belongs to another subject, has ended or lives in another process is 404, on which clients begin anew.
 */
import { randomUUID } from 'node:crypto';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { ErrorCode, isInitializeRequest, McpError, ResultSchema, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
import { Fault } from '../../domain/kernel/errors.ts';
import { MINUTE } from '../../domain/kernel/time.ts';
import type { ApiDeps } from '../declare/deps.ts';
import { type Confirm, elicitationOf, isConfirmed, showsForms } from './form.ts';
import { contentOf, INSTRUCTIONS, rpcRefusal, SERVER_INFO } from './protocol.ts';
import type { ToolContext } from './tool.ts';
import type { Tools } from './tools.ts';

/**
 * Of a process, and in it of a store, of a person there, whatever clients they register, and of a subject. Beyond, the one that was idle
 * the longest ends: of the subject; of the person; of the person with the most in the store; of the store with the most.
 */
const MAX_SESSIONS = 1000;
const MAX_OF_STORE = 100;
const MAX_OF_PERSON = 40;
const MAX_OF_SUBJECT = 20;
const IDLE_MS = 30 * MINUTE;
/** Protocol 2025-06-18 removed batches of JSON-RPC messages. Each message of one counts for the rate limit. */
const LAST_WITH_BATCHES = '2025-03-26';
const MAX_BATCH = 20;

export interface Connection extends Omit<ToolContext, 'confirm'> {
  /** Counts `n` more requests than the one that carries them. TOO_MANY_REQUESTS. */
  readonly countMore: (n: number) => void;
}
interface Session {
  readonly id: string;
  readonly subject: string;
  readonly storeId: string;
  readonly userId: string;
  readonly takesBatches: boolean;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  usedAt: number;
}

export class Sessions {
  readonly #deps: ApiDeps;
  readonly #tools: Tools;
  /** The one that was idle the longest first. */
  readonly #open = new Map<string, Session>();

  constructor(deps: ApiDeps, tools: Tools) {
    this.#deps = deps;
    this.#tools = tools;
    const sweeping = setInterval(() => this.#endIdle(), MINUTE).unref();
    deps.stopping.addEventListener('abort', () => {
      clearInterval(sweeping);
      for (const session of this.#open.values()) this.#end(session);
    });
  }

  async serve(request: Request, body: unknown, connection: Connection): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    const session = id === null ? null : this.#find(id, connection);
    if (id !== null && !session) return rpcRefusal(404, -32_001, 'Session not found');
    const refused = Array.isArray(body) ? batchProblem(body, session, connection) : null;
    if (refused) return refused;
    const transport = session?.transport ?? (await this.#begin(body, connection));
    if (transport instanceof Response) return transport;
    const { clientId, scopes } = { clientId: connection.caller.actor.id, scopes: [...connection.caller.scopes] };
    return await transport.handleRequest(request, { parsedBody: body, authInfo: { token: '', clientId, scopes, extra: { connection } } });
  }

  #find(id: string, { caller }: Connection): Session | null {
    const session = this.#open.get(id);
    if (session?.subject !== caller.principal) return null;
    session.usedAt = this.#deps.clock.now();
    this.#open.delete(id);
    this.#open.set(id, session);
    return session;
  }

  async #begin(body: unknown, { caller }: Connection): Promise<WebStandardStreamableHTTPServerTransport | Response> {
    if (!isInitializeRequest(body)) return rpcRefusal(400, -32_000, 'A session begins with initialize; send its Mcp-Session-Id');
    // Whoever begins again is led to another process.
    if (this.#deps.stopping.aborted) throw new Fault('TEMPORARILY_UNAVAILABLE');
    const { principal: subject, storeId, userId } = caller;
    const { protocolVersion: version } = body.params;
    // A version that we do not know is answered with the newest.
    const takesBatches = SUPPORTED_PROTOCOL_VERSIONS.includes(version) && version <= LAST_WITH_BATCHES;
    const transport: WebStandardStreamableHTTPServerTransport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessionclosed: (id) => void this.#open.delete(id),
      onsessioninitialized: (id) => this.#add({ id, subject, storeId, userId, takesBatches, transport, usedAt: this.#deps.clock.now() }),
    });
    await this.#serverOf().connect(transport);
    return transport;
  }

  #add(session: Session): void {
    const leaving = givesWay([...this.#open.values()], session);
    if (leaving) this.#end(leaving);
    this.#open.set(session.id, session);
  }

  #endIdle(): void {
    const before = this.#deps.clock.now() - IDLE_MS;
    for (const session of this.#open.values()) if (session.usedAt < before) this.#end(session);
  }

  #end({ id, transport }: Session): void {
    this.#open.delete(id);
    void transport.close();
  }

  /** Requests come to one handler as they are: the SDK's own schemas refuse with their internal texts, as internal errors. */
  #serverOf(): Server {
    const server = new Server(SERVER_INFO, { capabilities: { tools: {} }, instructions: INSTRUCTIONS });
    server.removeRequestHandler('ping');
    server.fallbackRequestHandler = async ({ method, params = {} }, { authInfo, sendRequest, signal }) => {
      if (method === 'ping') return {};
      if (method === 'tools/list') return { tools: [...this.#tools.listed] };
      if (method !== 'tools/call') throw new McpError(ErrorCode.MethodNotFound, 'Method not found');
      const { name, arguments: input } = params;
      if (typeof name !== 'string') throw new McpError(ErrorCode.InvalidParams, 'params.name is missing');
      const { connection } = authInfo!.extra as unknown as { readonly connection: Connection };
      const timeout = this.#deps.config.mcpFormMs;
      // Whatever it answers: only an accepted form decides.
      const confirm: Confirm = async (question) => {
        const request = { method: 'elicitation/create' as const, params: elicitationOf(question) };
        const answer = await sendRequest(request, ResultSchema, { timeout, signal });
        return { isConfirmed: isConfirmed(answer), previewDigest: question.previewDigest };
      };
      const canShow = showsForms(server.getClientCapabilities());
      const result = await this.#tools.call(name, input, { ...connection, confirm: canShow ? confirm : null });
      return 'requestState' in result ? { content: [] } : contentOf(result);
    };
    return server;
  }
}

/** The session that gives way to a new one; undefined: there is room. `open`: the one that was idle the longest first. */
function givesWay(open: readonly Session[], added: Session): Session | undefined {
  const ofSubject = open.filter(({ subject }) => subject === added.subject);
  if (ofSubject.length >= MAX_OF_SUBJECT) return ofSubject[0];
  const ofStore = open.filter(({ storeId }) => storeId === added.storeId);
  const ofPerson = ofStore.filter(({ userId }) => userId === added.userId);
  if (ofPerson.length >= MAX_OF_PERSON) return ofPerson[0];
  if (ofStore.length >= MAX_OF_STORE) return firstOfMost(ofStore, added, 'userId');
  return open.length >= MAX_SESSIONS ? firstOfMost(open, added, 'storeId') : undefined;
}

/** The first session of whoever has the most with the added one, which comes first among equals. */
function firstOfMost(open: readonly Session[], added: Session, by: 'storeId' | 'userId'): Session {
  const groups = Map.groupBy(open, (session) => session[by]);
  const own = groups.get(added[by]);
  const [longest] = [...(own ? [own] : []), ...groups.values()].toSorted((a, b) => b.length - a.length);
  return (own && own.length + 1 >= longest!.length ? own : longest!)[0]!;
}

/** Null: the batch is carried out, and its messages are counted. */
function batchProblem(batch: readonly unknown[], session: Session | null, { countMore }: Connection): Response | null {
  if (!session?.takesBatches)
    return rpcRefusal(
      400,
      ErrorCode.InvalidRequest,
      `Batches are of sessions of protocol ${LAST_WITH_BATCHES} and before: send one message`,
    );
  if (batch.length === 0 || batch.length > MAX_BATCH)
    return rpcRefusal(400, ErrorCode.InvalidRequest, `A batch has 1 to ${MAX_BATCH} messages`);
  countMore(batch.length - 1);
  return null;
}
