import type { Context } from 'koa';
import { RetryLater } from '../../domain/kernel/errors.ts';

/**
 * Aborted when the client hangs up before it has its answer. What it waited for is refused with that reason, which nobody reads: no failure
 * of ours, and like any request whose turn did not come.
 */
export function goneOf({ res }: Pick<Context, 'res'>): AbortSignal {
  const gone = new AbortController();
  const abort = () => {
    if (!res.writableFinished) gone.abort(new RetryLater(1));
  };
  if (res.closed) abort();
  else res.once('close', abort);
  return gone.signal;
}
/** Of what nobody can hang up on. */
export const NEVER_GONE: AbortSignal = new AbortController().signal;
