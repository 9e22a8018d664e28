/** Where all requests of the random shop go out: what is busy is asked again, and every answer is counted and has to be of the contract. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { call, type Headers_, type Reply } from '../../../bin/dev/client.ts';

export interface Answer {
  readonly status: number;
  readonly code: string | null;
  readonly data: Reply['body']['data'];
  readonly requestId: string;
  readonly etag: string | null;
}
export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly headers: Headers_;
}
/** The shop asks for nothing that is malformed or not its own. */
const NEVER: ReadonlySet<string> = new Set([
  'VALIDATION_FAILED',
  'INVALID_PARAMETER',
  'UNAUTHORIZED',
  'INSUFFICIENT_SCOPE',
  'TOO_MANY_REQUESTS',
]);
/** Its combination of values may be gone meanwhile, which is a mistake in the body. */
const MAY_BE_INVALID: ReadonlySet<string> = new Set(['products.patch variants']);
const IN_PROGRESS = 'IDEMPOTENCY_IN_PROGRESS';
const TRIES = 120;

export class Desk {
  readonly #base: string;
  /** How often each operation was answered how. */
  readonly answers = new Map<string, number>();
  /** Answers that are not of the contract. */
  readonly faults: string[] = [];
  requests = 0;
  retries = 0;
  constructor(base: string) {
    this.#base = base;
  }
  /** `operation`: how it is called in the count. What has a key, and a look, is asked again while the system is busy. */
  async send(operation: string, { method, path, body, headers }: Request): Promise<Answer> {
    const isKeyed = method === 'POST' || path.endsWith('/stock');
    const isRepeatable = isKeyed || method === 'GET';
    const sent = { ...headers, ...(isKeyed && { 'idempotency-key': randomUUID() }) };
    for (let tries = 1; ; tries++) {
      this.requests++;
      const reply = await call(this.#base, method, path, { body, headers: sent }).catch((error: unknown) => error as Error);
      const isBusy = reply instanceof Error || reply.status === 503 || reply.body.error?.code === IN_PROGRESS;
      if (isBusy && isRepeatable && tries < TRIES) {
        this.retries++;
        await sleep(250);
        continue;
      }
      if (reply instanceof Error) return this.#unanswered(operation, reply);
      return this.#counted(operation, reply);
    }
  }
  #unanswered(operation: string, error: Error): Answer {
    this.faults.push(`${operation} got no answer: ${error.message}`);
    return { status: 0, code: 'NO_ANSWER', data: null, requestId: '', etag: null };
  }
  #counted(operation: string, { status, body, headers }: Reply): Answer {
    const code = body.error?.code ?? null;
    this.count(operation, code ?? String(status));
    const isBroken = status >= 500 && code !== 'TEMPORARILY_UNAVAILABLE';
    const isMistaken = code !== null && NEVER.has(code) && !MAY_BE_INVALID.has(operation);
    if (isBroken || isMistaken) this.faults.push(`${operation} was answered ${status} ${JSON.stringify(body.error)}`);
    return { status, code, data: body.data, requestId: body.meta?.requestId ?? '', etag: headers.get('etag') };
  }
  count(operation: string, how: string): void {
    const key = `${operation} ${how}`;
    this.answers.set(key, (this.answers.get(key) ?? 0) + 1);
  }
}
