/** Readiness of a process: Postgres and Temporal are reachable, and it is not shutting down. */

export interface Readiness {
  readonly isReady: boolean;
  readonly body: { readonly status: 'ok' | 'unavailable' | 'stopping'; readonly postgres: Reached; readonly temporal: Reached };
}
type Reached = 'ok' | 'unreachable';

/** Runs both checks concurrently; each has its own timeout. A process that is shutting down is unready in any case (X26). */
export async function readiness(checks: {
  readonly postgres: () => Promise<unknown>;
  readonly temporal: () => Promise<unknown>;
  readonly isStopping: boolean;
}): Promise<Readiness> {
  const [postgres, temporal] = await Promise.allSettled([checks.postgres(), checks.temporal()]);
  const reached = (result: PromiseSettledResult<unknown>): Reached => (result.status === 'fulfilled' ? 'ok' : 'unreachable');
  const isReached = postgres.status === 'fulfilled' && temporal.status === 'fulfilled';
  const whileRunning = isReached ? 'ok' : 'unavailable';
  const status = checks.isStopping ? 'stopping' : whileRunning;
  return { isReady: status === 'ok', body: { status, postgres: reached(postgres), temporal: reached(temporal) } };
}
