/**
 * Every call to an address that a seller chose. One deadline covers DNS, connection, headers and body; every resolved
 * address is screened, and the connection goes to the very address that was screened. Redirects are answers.
 */
import { Resolver } from 'node:dns/promises';
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { isHost, RECEIVER_URL } from '../../domain/kernel/hosts.ts';
import { type AttemptOutcome, type DeliveryError, EXCERPT_CHARACTERS } from '../../domain/webhooks/rules.ts';
import { isLoopback, isPublic } from './addresses.ts';

export interface EgressConfig {
  /** Development only: http and loopback receivers are allowed. */
  readonly allowLoopback: boolean;
  /** `host:port` of the DNS server for receivers' names; null for the system's. */
  readonly dns: string | null;
}
export interface Outgoing {
  /** POST, if nothing else is said. */
  readonly method?: 'POST' | 'PUT';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly deadlineMs: number;
}
/** Without invisible characters and direction marks: what is shown of it is what it is. */
const isLegible = (url: string): boolean => URL.canParse(url) && !/[\p{C}\p{Z}]/u.test(url);
const RECEIVER = new RegExp(RECEIVER_URL, 'u');
const EXCERPT_BYTES = 4096;

/** The address of a host name, or why it must not be called. */
type Resolved =
  | { readonly address: string }
  | { readonly error: Extract<DeliveryError, 'BLOCKED_ADDRESS' | 'CONNECTION_FAILED' | 'TIMEOUT'> };

export function createEgress(config: EgressConfig) {
  return {
    /** Judges an address at registration: null when it may be called or is not in DNS yet (docs/contract.md#receivers). */
    async screen(url: string, deadlineMs: number): Promise<'INVALID_URL' | 'BLOCKED_ADDRESS' | null> {
      if (!isLegible(url)) return 'INVALID_URL';
      const { protocol, username, password, hostname } = new URL(url);
      if (username !== '' || password !== '' || !isHost(hostname, { underscore: true })) return 'INVALID_URL';
      if (protocol !== 'https:' && !(protocol === 'http:' && config.allowLoopback)) return 'INVALID_URL';
      const resolved = await resolve(config, hostname, AbortSignal.timeout(deadlineMs));
      if (protocol === 'http:') return 'address' in resolved && isLoopback(resolved.address) ? null : 'INVALID_URL';
      if ('error' in resolved && resolved.error === 'BLOCKED_ADDRESS') return 'BLOCKED_ADDRESS';
      return RECEIVER.test(url) ? null : 'INVALID_URL';
    },

    /** POSTs, and answers how it ended: success is a 2xx status within the deadline, whatever its body does (D16). */
    async post(outgoing: Outgoing): Promise<AttemptOutcome> {
      const began = performance.now();
      const reply = await within(outgoing.deadlineMs, async (signal): Promise<Omit<AttemptOutcome, 'responseTimeMs'>> => {
        const { errorCode, status, response } = await send(config, outgoing, signal);
        return { errorCode, responseStatusCode: status, responseBodyExcerpt: response && (await readExcerpt(response, signal)) };
      });
      return { ...reply, responseTimeMs: Math.round(performance.now() - began) };
    },

    /**
     * Sends, and answers how it ended: success is a 2xx status with its whole body within the deadline. A body of more than
     * `maxBytes` is read no further, and null.
     */
    call: (outgoing: Outgoing, maxBytes: number): Promise<EgressReply> =>
      within(outgoing.deadlineMs, async (signal): Promise<EgressReply> => {
        const { errorCode, response } = await send(config, outgoing, signal);
        if (response === null || errorCode !== null) return { errorCode, responseBody: null };
        const body = await readWhole(response, maxBytes);
        // What is aborted seems complete where the end of the connection is the end of the body.
        if (signal.aborted) return { errorCode: 'TIMEOUT', responseBody: null };
        if (body === 'CUT') return { errorCode: 'CONNECTION_FAILED', responseBody: null };
        return { errorCode: null, responseBody: body === 'TOO_LONG' ? null : new TextDecoder().decode(body) };
      }),
  };
}
/** How a request with an answer that matters ended. */
export interface EgressReply {
  readonly errorCode: DeliveryError | null;
  readonly responseBody: string | null;
}

/** Ends everything that `work` began after `deadlineMs`, and when it is done. */
async function within<T>(deadlineMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), deadlineMs);
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    controller.abort();
  }
}
export type Egress = ReturnType<typeof createEgress>;

const bare = (hostname: string) => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

/** Resolves A and AAAA; one bad address among several blocks all. */
async function resolve({ allowLoopback, dns }: EgressConfig, hostname: string, signal: AbortSignal): Promise<Resolved> {
  const isAllowed = (address: string) => isPublic(address) || (allowLoopback && isLoopback(address));
  const name = bare(hostname);
  if (isIP(name)) return isAllowed(name) ? { address: name } : { error: 'BLOCKED_ADDRESS' };
  if (dns === null && /(^|\.)localhost$/i.test(name)) return allowLoopback ? { address: '127.0.0.1' } : { error: 'BLOCKED_ADDRESS' };
  const resolver = new Resolver();
  if (dns !== null) resolver.setServers([dns]);
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  signal.removeEventListener('abort', cancel);
  if (signal.aborted) return { error: 'TIMEOUT' };
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (!addresses.every(isAllowed)) return { error: 'BLOCKED_ADDRESS' };
  return addresses[0] === undefined ? { error: 'CONNECTION_FAILED' } : { address: addresses[0] };
}

interface Sent {
  readonly errorCode: DeliveryError | null;
  readonly status: number | null;
  /** Its body is not read yet. */
  readonly response: IncomingMessage | null;
}
/** One request, until the headers of its answer. */
async function send(config: EgressConfig, outgoing: Outgoing, signal: AbortSignal): Promise<Sent> {
  const target = new URL(outgoing.url);
  const resolved = await resolve(config, target.hostname, signal);
  if ('error' in resolved) return failed(resolved.error);
  const isTls = target.protocol === 'https:';
  if (!isTls && !isLoopback(resolved.address)) return failed('BLOCKED_ADDRESS');
  const options = { ...optionsFor(target, resolved.address, outgoing), signal };
  try {
    const response = await answerOf(isTls ? httpsRequest : httpRequest, options, outgoing.body);
    const { statusCode: status = 0 } = response;
    return { errorCode: status >= 200 && status < 300 ? null : 'NON_2XX', status, response };
  } catch {
    return failed(signal.aborted ? 'TIMEOUT' : 'CONNECTION_FAILED');
  }
}

function optionsFor(target: URL, address: string, { method = 'POST', headers, body }: Outgoing): RequestOptions & { servername?: string } {
  const isTls = target.protocol === 'https:';
  return {
    method,
    host: address,
    port: target.port || (isTls ? 443 : 80),
    path: target.pathname + target.search,
    headers: { ...headers, host: target.host, 'content-length': Buffer.byteLength(body) },
    agent: false,
    maxHeaderSize: 16_384,
    ...(isTls && !isIP(bare(target.hostname)) && { servername: bare(target.hostname) }),
  };
}

const failed = (errorCode: DeliveryError): Sent => ({ errorCode, status: null, response: null });

function answerOf(request: typeof httpRequest, options: RequestOptions, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = request(options, resolve);
    outgoing.once('error', reject);
    // An upgrade or a bare close emits neither a response nor an error.
    outgoing.once('upgrade', (_, socket) => {
      socket.destroy();
      reject(new Error('upgraded'));
    });
    outgoing.once('close', () => reject(new Error('closed')));
    outgoing.end(body);
  });
}

/** At most 4 KiB of the body, until the deadline; the rest is dropped with its connection. */
async function readExcerpt(response: IncomingMessage, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= EXCERPT_BYTES) resolve();
    });
    for (const event of ['end', 'error', 'close'] as const) response.once(event, () => resolve());
  });
  response.destroy();
  const text = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, EXCERPT_BYTES)).replaceAll('\u0000', '');
  return Array.from(text).slice(0, EXCERPT_CHARACTERS).join('');
}

/** The whole body; CUT where it ends before it is complete, or with the deadline. The connection is not used any further. */
function readWhole(response: IncomingMessage, maxBytes: number): Promise<Buffer | 'TOO_LONG' | 'CUT'> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise<Buffer | 'TOO_LONG' | 'CUT'>((resolve) => {
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) resolve('TOO_LONG');
    });
    response.once('end', () => resolve(response.complete ? Buffer.concat(chunks) : 'CUT'));
    for (const event of ['error', 'close'] as const) response.once(event, () => resolve('CUT'));
  }).finally(() => response.destroy());
}
