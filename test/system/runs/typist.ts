/** Sends what a test sends, with a canary in every text that a client may type: body, query, form, file name and headers. */
import { randomBytes } from 'node:crypto';
import { endpoints } from '../../../api/endpoints.ts';
import type { Endpoint } from '../../../api/declare/endpoint.ts';
import type { Headers_ } from '../../../bin/dev/client.ts';
import { underTest } from '../../kernel/world.ts';
import type { Canaries, Extent } from './canaries.ts';

type Send = typeof fetch;
export interface Sent {
  readonly endpoint: Endpoint;
  readonly url: URL;
  readonly headers: Headers_;
  readonly body: string | undefined;
}

const patterns = endpoints.map((endpoint) => {
  const [method = '', path = ''] = endpoint.route.split(' ');
  return { endpoint, method, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) };
});
/** Words of an address come before ids: `/bulk/status` is no product. */
const endpointOf = (method: string, path: string): Endpoint | undefined =>
  patterns
    .filter((one) => one.method === method && one.pattern.test(path))
    .toSorted((a, b) => a.endpoint.route.split('{').length - b.endpoint.route.split('{').length)[0]?.endpoint;

/** Secrets of the forms of OAuth, and what the provider sends back: each is one's own. */
const SECRETS = ['client_secret', 'code', 'code_verifier', 'refresh_token', 'subject_token', 'paymentKey'];

export class Typist {
  readonly #canaries: Canaries;
  readonly #send: Send;
  /** Free texts that a carried out call had a canary in: `orders.hold body.reason`. */
  readonly carried = new Set<string>();
  /** Idempotency keys of commands that were carried out. */
  readonly keys: string[] = [];
  /** Commands to runs, as they were sent. */
  readonly commands: Sent[] = [];
  readonly traceId = randomBytes(16).toString('hex');

  constructor(canaries: Canaries, send: Send) {
    this.#canaries = canaries;
    this.#send = send;
  }

  headers(where: string): Headers_ {
    const canary = (name: string) => this.#canaries.fresh(`${where} ${name}`);
    return {
      'user-agent': canary('user-agent'),
      referer: `https://${canary('referer')}.example/`,
      'x-request-id': canary('x-request-id'),
      'x-correlation-id': canary('x-correlation-id'),
      'x-forwarded-for': canary('x-forwarded-for'),
      forwarded: `for=${canary('forwarded')}`,
      'x-real-ip': canary('x-real-ip'),
      'accept-language': `ko, ${canary('accept-language')};q=0.1`,
      'x-svc-visitor': canary('x-svc-visitor'),
      'x-svc-session': canary('x-svc-session'),
      traceparent: `00-${this.traceId}-${randomBytes(8).toString('hex')}-01`,
      tracestate: `a=${canary('tracestate')}`,
      baggage: `a=${canary('baggage')}`,
      'idempotency-key': canary('idempotency-key'),
    };
  }

  /** In the place of `fetch`. */
  readonly fetch: Send = async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.origin !== new URL(underTest.api).origin) return this.#send(input, init);
    const endpoint = endpointOf(init.method ?? 'GET', url.pathname);
    const headers = init.headers as Headers_ | undefined;
    for (const [name, value] of Object.entries(headers ?? {}))
      if (/authorization|token|cookie/.test(name)) this.#canaries.register(value.replace(/^\w+ /, ''), `${url.pathname} ${name}`);
    if (!endpoint) return this.#elsewhere(url, init);
    if (endpoint.query && endpoint.change === 'none')
      await this.#sendWhole(endpoint, url, { ...init, headers: { ...headers, ...this.headers(endpoint.id) } });
    if (init.body instanceof FormData) this.#named(init.body, endpoint.id);
    if (typeof init.body !== 'string')
      return this.#sent(endpoint, url, { ...init, headers: { ...headers, ...this.headers(endpoint.id) } }, []);
    const { body } = init;
    const type = (extent: Extent) => this.type({ endpoint, url, headers: headers ?? {}, body }, extent);
    const whole = await type('fields');
    return whole.ok ? whole : type('sent');
  };

  /** The same call with everything in its query that there may be. */
  async #sendWhole(endpoint: Endpoint, url: URL, init: RequestInit): Promise<void> {
    const target = new URL(url);
    const { value, ways } = this.#canaries.fill(endpoint.query!, {}, `${endpoint.id} query`, 'all');
    for (const [name, text] of Object.entries(value as object)) if (text !== undefined) target.searchParams.set(name, String(text));
    await this.#sent(endpoint, target, init, ways);
  }

  /** A call of an operation with its body filled. */
  type({ endpoint, url, headers, body }: Sent, extent: Extent): Promise<Response> {
    const { value, ways } = this.#canaries.fill(endpoint.body ?? {}, JSON.parse(body ?? '{}'), `${endpoint.id} body`, extent);
    const [method] = endpoint.route.split(' ');
    const init = { method: method!, headers: { ...headers, ...this.headers(endpoint.id) }, redirect: 'manual' as const };
    return this.#sent(endpoint, url, { ...init, ...(body !== undefined && { body: JSON.stringify(value) }) }, ways);
  }

  async #sent(endpoint: Endpoint, url: URL, init: RequestInit, ways: readonly string[]): Promise<Response> {
    const response = await this.#send(url, init);
    if (!response.ok) return response;
    for (const way of ways) this.carried.add(way);
    if (endpoint.change === 'workflow') {
      const { body, headers } = init as { body?: string; headers: Headers_ };
      this.keys.push(headers['idempotency-key']!);
      this.commands.push({ endpoint, url, headers, body });
    }
    return response;
  }

  /** OAuth, the pay screen and uploads: forms and addresses without a schema. */
  #elsewhere(url: URL, init: RequestInit): Promise<Response> {
    const where = `${init.method ?? 'GET'} ${url.pathname}`;
    const form = init.body instanceof URLSearchParams ? init.body : null;
    for (const params of [url.searchParams, ...(form ? [form] : [])]) {
      for (const name of SECRETS) if (params.has(name)) this.#canaries.register(params.get(name)!, `${where} ${name}`);
      // The state of the way back is our own.
      for (const name of url.pathname.endsWith('/callback') ? ['message'] : ['state', 'message'])
        if (params.has(name)) params.set(name, this.#canaries.fresh(`${where} ${name}`));
      params.set('note', this.#canaries.fresh(`${where} note`));
    }
    const { 'idempotency-key': _, ...headers } = this.headers(where);
    return this.#send(url, { ...init, headers: { ...headers, ...(init.headers as Headers_) } });
  }

  /** A file's name is the client's too. */
  #named(form: FormData, where: string): void {
    const file = form.get('file');
    if (file instanceof Blob) form.set('file', file, `${this.#canaries.fresh(`${where} file name`)}.png`);
  }
}
