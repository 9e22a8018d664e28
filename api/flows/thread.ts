/**
 * The thread in which a seller's graph is computed: started by api/flows/threadPool.ts from this file, in plain Node. It knows rules
 * and views, and neither database nor network. It does one job at a time, and hands a simulation's steps out as they are done.
 */
import { parentPort } from 'node:worker_threads';
import { yieldProcessor } from './lowPriority.ts';
import type { Posted } from './threadPool.ts';
import { type Computation, compute } from './compute.ts';

yieldProcessor();

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
const post = (posted: Posted): void => parentPort?.postMessage(posted);
parentPort?.on('message', (computation: Computation) => {
  compute(computation, (progress) => post({ progress })).then(
    (result) => post({ result }),
    (error: unknown) => post({ failed: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
