/** What both APIs do before a call is processed: the key and its state, idempotency keys, the log. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Calls, LoggedCall } from './calls.ts';
import type { Environment, Key, KeyStates, Provider } from './merchants.ts';

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly header: (name: string) => string | null;
  readonly body: Readonly<Record<string, unknown>>;
}
export interface Answer {
  readonly status: number;
  readonly body: object;
  /** The connection breaks before the response. */
  readonly isLost?: boolean;
}
/** An API in the words of its provider. */
export interface Protocol {
  readonly pg: Provider;
  /** Of idempotency keys. */
  readonly keyFormat: RegExp;
  readonly keyRetentionMs: number;
  readonly refusals: Readonly<Record<'unauthorized' | 'isRunning' | 'badKey' | 'badBody', Answer>>;
  authenticate(authorization: string): Key | null;
  /** The order that a call is about, and its payment's environment where it has one. */
  subject(call: Call): { readonly orderId: string; readonly environment: Environment | null };
  /** An error that the request itself demands. */
  demanded(call: Call): Answer | null;
  answer(key: Key, call: Call): Promise<Answer>;
}

const SLOW_MS = 3000;
const CUT: Answer = { status: 503, body: {}, isLost: true };

export class Gateway {
  readonly #protocol: Protocol;
  readonly #states: KeyStates;
  readonly #calls: Calls;
  /** Responses by idempotency key, API key and path; a promise while the first request is in progress. */
  readonly #replies = new Map<string, { readonly at: number; answer: Promise<Answer> | Answer }>();

  constructor(protocol: Protocol, states: KeyStates, calls: Calls) {
    this.#protocol = protocol;
    this.#states = states;
    this.#calls = calls;
  }

  async handle(call: Call): Promise<Answer> {
    const key = this.#protocol.authenticate(call.header('authorization') ?? '');
    const entry = this.#log(key, call);
    const answer = await this.#answer(key, call);
    entry.status = answer.isLost ? null : answer.status;
    return answer;
  }

  async #answer(key: Key | null, call: Call): Promise<Answer> {
    const state = key && this.#states.of(key);
    if (state === 'DOWN') return CUT;
    const answer = key === null || state === 'REVOKED' ? this.#protocol.refusals.unauthorized : await this.#once(key, call);
    if (state === 'SLOW') await sleep(SLOW_MS);
    return answer;
  }

  /** The same idempotency key on the same path gets the first response, and 409 while that is in progress. */
  async #once(key: Key, call: Call): Promise<Answer> {
    const { keyFormat, keyRetentionMs, refusals } = this.#protocol;
    const demanded = this.#protocol.demanded(call);
    if (demanded) return demanded;
    const idempotencyKey = call.header('idempotency-key');
    if (call.method !== 'POST' || idempotencyKey === null) return this.#protocol.answer(key, call);
    if (!keyFormat.test(idempotencyKey)) return refusals.badKey;
    const scope = [idempotencyKey, key.pg, key.environment, key.name, call.path].join('|');
    const known = this.#replies.get(scope);
    if (known && Date.now() - known.at < keyRetentionMs)
      return known.answer instanceof Promise ? refusals.isRunning : { ...known.answer, isLost: false };
    const reply = { at: Date.now(), answer: this.#protocol.answer(key, call) as Promise<Answer> | Answer };
    this.#replies.set(scope, reply);
    const made = await reply.answer;
    reply.answer = structuredClone(made);
    return made;
  }

  #log(key: Key | null, call: Call): LoggedCall {
    const { orderId, environment } = this.#protocol.subject(call);
    const query = call.query.size > 0 ? `?${String(call.query)}` : '';
    const entry: LoggedCall = {
      pg: this.#protocol.pg,
      merchant: key?.merchant ?? null,
      environment: key?.environment ?? environment,
      method: call.method,
      path: call.path + query,
      scheme: /^\w+(?= )/.exec(call.header('authorization') ?? '')?.[0] ?? null,
      contentType: call.header('content-type'),
      idempotencyKey: call.header('idempotency-key'),
      body: call.method === 'GET' ? null : call.body,
      status: null,
      at: new Date().toISOString(),
    };
    if (orderId !== '') this.#calls.add(orderId, entry);
    return entry;
  }
}
