import type { Context } from 'koa';

/** Aborted when the client hangs up before it has its answer. */
export function goneOf({ res }: Pick<Context, 'res'>): AbortSignal {
  const gone = new AbortController();
  const abort = () => {
    if (!res.writableFinished) gone.abort();
  };
  if (res.closed) abort();
  else res.once('close', abort);
  return gone.signal;
}
/** Of what nobody can hang up on. */
export const NEVER_GONE: AbortSignal = new AbortController().signal;
