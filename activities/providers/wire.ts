/** Requests to payment providers: JSON, a time limit, no redirects. */
import { TIMEOUT } from '../../domain/payments/rules.ts';

/** `limit`: its time in milliseconds, or the signal that aborts it; nothing is sent when that was given already. */
export interface ProviderRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly limit: number | AbortSignal;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}
/** `Body`: the fields that it may have, none of them checked. */
export type Reply<Body> = { readonly status: number; readonly json: Body } | { readonly lost: string };
/** The answer of a request that was not lost. */
export type Received<Body> = Exclude<Reply<Body>, { readonly lost: string }>;
export type Wire<Body> = (request: ProviderRequest) => Promise<Reply<Body>>;

export const createWire =
  <Body extends object>(baseUrl: string, authorization: string): Wire<Body> =>
  async ({ method, path, limit, body, headers }) => {
    const signal = typeof limit === 'number' ? AbortSignal.timeout(limit) : limit;
    try {
      const response = await fetch(baseUrl + path, {
        method,
        headers: { authorization, 'content-type': 'application/json', ...headers },
        signal,
        redirect: 'manual',
        ...(body && { body: JSON.stringify(body) }),
      });
      const { status } = response;
      const json = parse(await response.text());
      return json === null ? { lost: `HTTP_${status}` } : { status, json: json as Body };
    } catch {
      return { lost: signal.aborted ? TIMEOUT : 'CONNECTION' };
    }
  };

function parse(text: string): object | null {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' ? json : null;
  } catch {
    return null;
  }
}
