/**
 * Answers under way, in this process: from the end of a request's work until the client has taken its answer. Who does not read what they
 * asked for gets no more of it, and keeps no memory for long.
 */
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Context, Middleware } from 'koa';
import { limitRefusals } from '../../db/kernel/metrics.ts';
import { Fault, RetryLater } from '../../domain/kernel/errors.ts';
import { cutOff, InFlight, keysOf, MIB } from './inFlight.ts';
import { fail, refusal } from './envelope.ts';

/** Requests of one connection under way: one is sent before the answer to another only where a client pipelines. */
const MAX_PIPELINED = 16;
const SMALL = 4096;
/** What a file that is read piece by piece has in memory at most. */
const FILE_BYTES = 256 * 1024;
/** A client has so long to take an answer, in real milliseconds, and so long more for each MiB of it. */
const TAKEN_MS = 30_000;
/** Clients read what they asked for within seconds. */
const RETRY_AFTER = '5';

/** Bytes of answers. The largest ones have 1.5 MiB, products that were written before their attributes had a bound 10 MiB. */
export const answersInFlight = new InFlight('answer_bytes', { sender: 16 * MIB, store: 64 * MIB, process: 192 * MIB });

/** Calls `disconnect` when a client has not taken so many bytes in its time; to be cleared when it has. */
export const unlessTaken = (bytes: number, disconnect: () => void, takenMs = TAKEN_MS): NodeJS.Timeout =>
  setTimeout(disconnect, takenMs * (1 + bytes / MIB)).unref();

interface Options {
  readonly inFlight?: InFlight;
  readonly takenMs?: number;
}
/** Counts each answer until it has been taken; a read's answer for which there is no room is TOO_MANY_REQUESTS, a change's is sent. */
export function sendBounded({ inFlight = answersInFlight, takenMs = TAKEN_MS }: Options = {}): Middleware {
  const underWay = new WeakMap<Socket, Set<() => void>>();
  const endsOf = (socket: Socket): Set<() => void> => {
    const known = underWay.get(socket);
    if (known) return known;
    const ends = new Set<() => void>();
    underWay.set(socket, ends);
    // An answer that waits for another one's end does not hear that its connection is closed.
    socket.once('close', () => ends.forEach((end) => end()));
    return ends;
  };
  return async (ctx, next) => {
    const { socket } = ctx.req;
    const ends = endsOf(socket);
    // Who pipelines so much sends the rest again, on a connection of its own.
    if (ends.size >= MAX_PIPELINED) {
      socket.destroy();
      return;
    }
    let release = () => {};
    let late: NodeJS.Timeout | undefined;
    const end = () => {
      if (!ends.delete(end)) return;
      release();
      clearTimeout(late);
    };
    ends.add(end);
    ctx.res.once('close', end);
    await next();
    if (!ends.has(end)) return;
    release = admit(ctx, inFlight);
    const bytes = ctx.body instanceof Readable ? (ctx.length ?? 0) : bytesOf(ctx);
    // A stream without a length ends by itself, or never: that of a session. Its parts have their own time.
    if (bytes > 0) late = unlessTaken(bytes, () => socket.destroy(), takenMs);
  };
}

/**
 * Answers with a file, which is opened when there is room for what is read of it ahead: TOO_MANY_REQUESTS where there is none. A HEAD opens
 * nothing.
 */
export async function sendFile(
  ctx: Context,
  { bytes, read }: { readonly bytes: number; readonly read: () => Promise<Readable> },
  inFlight = answersInFlight,
): Promise<void> {
  if (ctx.res.closed) throw cutOff();
  const release = ctx.method === 'HEAD' ? () => {} : inFlight.take(keysOf(ctx), Math.min(bytes, FILE_BYTES));
  if (!release) throw refused(inFlight);
  ctx.res.once('close', release);
  ctx.status = 200;
  if (ctx.method !== 'HEAD') ctx.body = await read();
  ctx.length = bytes;
}

/** Refuses a request for a large answer before anything of it is computed, while its sender has not taken others: TOO_MANY_REQUESTS. */
export function refuseUnread(ctx: Context, inFlight = answersInFlight): void {
  if (!inFlight.hasRoom(keysOf(ctx), MIB)) throw refused(inFlight);
}
function refused({ name }: InFlight): RetryLater {
  limitRefusals.inc({ limit: name });
  return new RetryLater(Number(RETRY_AFTER));
}

/** Counts the answer; returns what gives its bytes back. */
function admit(ctx: Context, inFlight: InFlight): () => void {
  if ((ctx.state as { isShared?: boolean }).isShared) return () => {};
  encode(ctx);
  const keys = keysOf(ctx);
  const taken = inFlight.take(keys, bytesOf(ctx));
  if (taken) return taken;
  // What is small is always sent: refusals, and whether the process is well.
  if (ctx.method !== 'GET' || bytesOf(ctx) <= SMALL) return inFlight.add(keys, bytesOf(ctx));
  limitRefusals.inc({ limit: inFlight.name });
  fail(ctx, refusal(new Fault('TOO_MANY_REQUESTS')));
  ctx.set('Retry-After', RETRY_AFTER);
  encode(ctx);
  return inFlight.add(keys, bytesOf(ctx));
}

/**
 * The bytes that are sent, in place of an object or a large text: their length is known before, and they are not of the heap while they
 * wait. As texts, 192 MiB of them would end a process whose heap has 256.
 */
function encode(ctx: Context): void {
  const { body } = ctx as { readonly body: unknown };
  const isObject = typeof body === 'object' && body !== null && Object.getPrototypeOf(body) === Object.prototype;
  if (isObject) ctx.body = Buffer.from(JSON.stringify(body));
  else if (typeof body === 'string' && body.length > SMALL) ctx.body = Buffer.from(body);
}
/** 0: a stream, whose parts are counted as they come (streaming.ts). */
const bytesOf = ({ body }: { readonly body?: unknown }): number =>
  typeof body === 'string' || Buffer.isBuffer(body) ? Buffer.byteLength(body) : 0;
