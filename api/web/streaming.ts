/** Answers that are sent in parts, as they come: a session's messages. */
import { Readable } from 'node:stream';
import type { ReadableStreamDefaultReader } from 'node:stream/web';
import type { Context } from 'koa';
import { limitRefusals } from '../../db/kernel/metrics.ts';
import { keysOf } from './inFlight.ts';
import { answersInFlight, unlessTaken } from './sending.ts';

interface Part {
  readonly bytes: Uint8Array;
  /** Gives its bytes back. */
  readonly release: () => void;
}
interface Options {
  /** Counts a part; null: there is no room for it. */
  readonly take: (bytes: number) => (() => void) | null;
  readonly disconnect: () => void;
  readonly takenMs?: number;
}

/**
 * Counts each part until the client has taken it, like an answer (sending.ts). Parts cannot be refused one by one: a client for whose parts
 * there is no room, or that does not take one in its time, is disconnected.
 */
export class CountedStream extends Readable {
  readonly #source: ReadableStreamDefaultReader<Uint8Array>;
  readonly #options: Options;
  /** Null: the end. */
  readonly #waiting: (Part | null)[] = [];
  /** That the client takes now. */
  #taken: Part | null = null;
  #late: NodeJS.Timeout | undefined;
  #isWanted = false;

  constructor(source: ReadableStream<Uint8Array>, options: Options) {
    // Nothing is read ahead: a part that is read is one that the client takes.
    super({ highWaterMark: 0 });
    this.#source = source.getReader();
    this.#options = options;
    void this.#receive();
  }

  override _read(): void {
    this.#end();
    this.#isWanted = true;
    this.#give();
  }
  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#end();
    for (const part of this.#waiting.splice(0)) part?.release();
    void this.#cancel();
    callback(error);
  }

  async #receive(): Promise<void> {
    try {
      for (let part = await this.#source.read(); !part.done; part = await this.#source.read()) {
        const release = this.#options.take(part.value.length);
        if (!release) return this.#options.disconnect();
        if (this.destroyed) return release();
        this.#waiting.push({ bytes: part.value, release });
        this.#give();
      }
      this.#waiting.push(null);
      this.#give();
    } catch (error) {
      this.destroy(error as Error);
    }
  }
  async #cancel(): Promise<void> {
    try {
      await this.#source.cancel();
    } catch {
      // It has failed already: nobody waits for it.
    }
  }
  #give(): void {
    const next = this.#isWanted ? this.#waiting.shift() : undefined;
    if (next === undefined) return;
    this.#isWanted = false;
    if (next === null) return void this.push(null);
    this.#taken = next;
    this.#late = unlessTaken(next.bytes.length, this.#options.disconnect, this.#options.takenMs);
    this.push(next.bytes);
  }
  /** Of what the client has taken. */
  #end(): void {
    clearTimeout(this.#late);
    this.#taken?.release();
    this.#taken = null;
  }
}

/** The body of an answer in parts. */
export function inParts(ctx: Context, source: ReadableStream<Uint8Array>): CountedStream {
  const keys = keysOf(ctx);
  const take = (bytes: number) => {
    const release = answersInFlight.take(keys, bytes);
    if (!release) limitRefusals.inc({ limit: answersInFlight.name });
    return release;
  };
  return new CountedStream(source, { take, disconnect: () => ctx.req.socket.destroy() });
}
