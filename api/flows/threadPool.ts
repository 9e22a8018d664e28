/**
 * What is computed of a seller's graph is computed here, beside the thread that serves requests (F45, docs/decisions.md#f45): in at most
 * two threads of this process, which are begun when they are needed and end when they were idle for a while. A thread bounds itself
 * (api/flows/thread.ts); what it misses is ended here. Without a pool of a library: what is bounded is a thread's own processor time and
 * each of its messages, which pools keep to themselves, and the turns are by store.
 */
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { Fault, RetryLater } from '../../domain/kernel/errors.ts';
import { currentRequester } from '../../db/kernel/requester.ts';
import { Turns } from '../../db/kernel/turns.ts';
import type { Ended, Job, Threads, ThreadWork } from '../declare/ports.ts';

/** What a thread posts of a job: any number of `progress`, then one of the others. `failed`: a stack. */
export type Posted = { readonly progress: unknown } | { readonly result: unknown } | { readonly failed: string };
const AT_ONCE = 2;
const WAIT_MS = 5000;
const IDLE_MS = 60_000;
/** A job bounds itself at two seconds; the rest is the beginning of its thread, and what it cannot interrupt. */
const CPU_MS = 4000;
/** However little of its processor time it was given. */
const REAL_MS = 30_000;
const MEASURE_MS = 200;
/**
 * V8 ends a thread that passes it, but the whole process where a single allocation passes it by far: what a job keeps is bounded by its own
 * counting.
 */
const HEAP = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 };

type Busy = 'TOO_MANY_REQUESTS' | 'TEMPORARILY_UNAVAILABLE';

export class ThreadPool implements Threads {
  private readonly file: URL;
  private readonly turns = new Turns({ name: 'rehearsals', slots: AT_ONCE, ofStore: 1, waitMs: WAIT_MS });
  private readonly idle = new Map<Worker, NodeJS.Timeout>();
  private readonly living = new Set<Worker>();

  private readonly busy: Busy;

  /** `file`: the thread's module. `busy`: what those are told who have waited in vain. */
  constructor(file: URL, busy: Busy = 'TOO_MANY_REQUESTS') {
    this.file = file;
    this.busy = busy;
  }

  /** TOO_MANY_REQUESTS after five seconds of waiting; TEMPORARILY_UNAVAILABLE, which nobody reads, where the client is gone. */
  async run({ storeId, gone, read, ...job }: ThreadWork): Promise<Ended> {
    const ifGone = (error: unknown): never => {
      const isBusy = this.busy === 'TEMPORARILY_UNAVAILABLE' && error instanceof RetryLater;
      throw gone.aborted || isBusy ? new Fault('TEMPORARILY_UNAVAILABLE') : error;
    };
    const end = await this.turns.take({ ...currentRequester(), storeId, gone }).catch(ifGone);
    try {
      return await this.compute(await read(), gone, job);
    } catch (error) {
      return ifGone(error);
    } finally {
      end();
    }
  }

  async close(): Promise<void> {
    for (const timer of this.idle.values()) clearTimeout(timer);
    this.idle.clear();
    await Promise.all([...this.living].map((worker) => worker.terminate()));
  }

  private async compute(data: unknown, gone: AbortSignal, { onProgress, cpuMs = CPU_MS }: Job): Promise<Ended> {
    gone.throwIfAborted();
    const worker = this.begin();
    const watch = watched(worker, cpuMs);
    gone.addEventListener('abort', watch.kill);
    const answered = Promise.withResolvers<Ended>();
    const listeners = {
      message: (posted: Posted) => {
        if ('progress' in posted) onProgress?.(posted.progress);
        else if ('result' in posted) answered.resolve(posted);
        else answered.reject(new Error(posted.failed));
      },
      error: (error: NodeJS.ErrnoException) => {
        if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') answered.resolve({ died: 'SIZE' });
        else answered.reject(error);
      },
      exit: () => (watch.isOver() ? answered.resolve({ died: 'TIME' }) : answered.reject(new Error('A thread has ended'))),
    };
    for (const [event, listener] of Object.entries(listeners)) worker.on(event, listener);
    try {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
      worker.postMessage(data);
      return await answered.promise;
    } finally {
      watch.end();
      gone.removeEventListener('abort', watch.kill);
      for (const [event, listener] of Object.entries(listeners)) worker.off(event, listener);
      this.rest(worker);
    }
  }

  private begin(): Worker {
    const [rested] = this.idle;
    if (rested) {
      const [worker, timer] = rested;
      clearTimeout(timer);
      this.idle.delete(worker);
      worker.ref();
      return worker;
    }
    // Without the process' environment, which holds its secrets, and its flags.
    const worker = withOwnHeap(() => new Worker(this.file, { execArgv: [], env: {}, resourceLimits: HEAP }));
    this.living.add(worker);
    const forget = () => {
      clearTimeout(this.idle.get(worker));
      this.idle.delete(worker);
      this.living.delete(worker);
    };
    // Nobody may wait for it any more.
    worker.on('error', forget);
    worker.on('exit', forget);
    return worker;
  }

  /** Keeps it for the next one, unless it has ended or is told to. */
  private rest(worker: Worker): void {
    if (!this.living.has(worker) || ending.has(worker)) return;
    worker.unref();
    this.idle.set(worker, setTimeout(() => end(worker), IDLE_MS).unref());
  }
}

/** The process' own sizes of its heap, from its command line (bin/kernel/memory.json): V8 would give them to every thread as well. */
const SIZES = process.execArgv.filter((flag) => /^--max-(?:old|semi)-space-size=\d+$/.test(flag));
function withOwnHeap(create: () => Worker): Worker {
  // They are read when a heap is made: that of the process is there, that of the thread when it is online.
  for (const flag of SIZES) setFlagsFromString(flag.replace(/\d+$/, '0'));
  const worker = create();
  const restore = () => {
    for (const flag of SIZES) setFlagsFromString(flag);
  };
  worker.once('online', restore);
  worker.once('exit', restore);
  return worker;
}

const ending = new WeakSet<Worker>();
function end(worker: Worker): void {
  ending.add(worker);
  void worker.terminate();
}

interface Watch {
  /** Whether it was the bound that ended it. */
  readonly isOver: () => boolean;
  readonly kill: () => void;
  readonly end: () => void;
}
/** Ends a thread that has used its processor time, or more real time than anything takes. */
function watched(worker: Worker, cpuMs: number): Watch {
  let isOver = false;
  // A thread that has ended has used none.
  const spent = () =>
    worker.cpuUsage().then(
      ({ user, system }) => (user + system) / 1000,
      () => 0,
    );
  const before = spent();
  const stop = () => {
    isOver = true;
    end(worker);
  };
  const measure = async () => {
    if ((await spent()) - (await before) > cpuMs) stop();
  };
  const timer = setInterval(() => void measure(), MEASURE_MS);
  const last = setTimeout(stop, REAL_MS);
  return {
    isOver: () => isOver,
    kill: () => end(worker),
    end: () => {
      clearInterval(timer);
      clearTimeout(last);
    },
  };
}
