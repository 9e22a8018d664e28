/** Whether a process may be sent work: it reaches what it works with, and it is not about to stop. */

export interface Readiness {
  readonly isReady: boolean;
  readonly body: { readonly status: 'ok' | 'unavailable' | 'stopping'; readonly postgres: Reached; readonly temporal: Reached };
}
type Reached = 'ok' | 'unreachable';

/** Asks both at once. Each question brings its own time limit; a process that is stopping is unready whatever they say (X26). */
export async function readiness(ask: {
  readonly postgres: () => Promise<unknown>;
  readonly temporal: () => Promise<unknown>;
  readonly isStopping: boolean;
}): Promise<Readiness> {
  const [postgres, temporal] = await Promise.allSettled([ask.postgres(), ask.temporal()]);
  const reached = (result: PromiseSettledResult<unknown>): Reached => (result.status === 'fulfilled' ? 'ok' : 'unreachable');
  const isReached = postgres.status === 'fulfilled' && temporal.status === 'fulfilled';
  const status = ask.isStopping ? 'stopping' : isReached ? 'ok' : 'unavailable';
  return { isReady: status === 'ok', body: { status, postgres: reached(postgres), temporal: reached(temporal) } };
}
