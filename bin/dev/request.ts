/** A request by Node's HTTP client, which takes less than half of the processor time of `fetch`: a test run sends a hundred thousand. */
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

const agent = new Agent({ keepAlive: true });
/** As `fetch` sends them. */
const DEFAULT_HEADERS = { accept: '*/*', 'accept-language': '*', 'sec-fetch-mode': 'cors', 'user-agent': 'node' };

export interface Sent {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** Its answer; no redirect is followed. */
export async function send(url: string, { method, headers, body, signal }: Sent) {
  const length = body !== undefined && { 'content-length': Buffer.byteLength(body) };
  const options = { method, agent, signal, headers: { ...DEFAULT_HEADERS, ...headers, ...length } };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, options, resolve).on('error', reject).end(body);
  });
  const answered = new Headers();
  const { rawHeaders } = response;
  for (let i = 0; i < rawHeaders.length; i += 2) answered.append(rawHeaders[i]!, rawHeaders[i + 1]!);
  return { status: response.statusCode!, headers: answered, text: await text(response) };
}
