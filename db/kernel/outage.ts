const OUTAGE = /^(08|25P03|25P04|40|53|55P03|57|58)/;
const SOCKET = /^E[A-Z]+$/;
const POOL = /timeout exceeded when trying to connect|Connection terminated|Query read timeout|canceling statement|is not queryable/i;

/** Whether an error is a failure of connection or resources (SQLSTATE 08, 25P03, 25P04, 40, 53, 55P03, 57, 58, sockets): retryable. */
export function isOutage(error: unknown): boolean {
  for (let e = error; e instanceof Error; e = e.cause) {
    if (sqlState(e) !== null || POOL.test(e.message)) return true;
  }
  return false;
}

/** The SQLSTATE or socket error code of an outage, or null. */
export function sqlState(error: unknown): string | null {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && (OUTAGE.test(code) || SOCKET.test(code)) ? code : null;
}
const hasState = (error: unknown, states: ReadonlySet<string>): boolean =>
  error instanceof Error && (states.has(sqlState(error) ?? '') || hasState(error.cause, states));
const LOCK_TIMEOUT: ReadonlySet<string> = new Set(['55P03']);
export const isLockTimeout = (error: unknown): boolean => hasState(error, LOCK_TIMEOUT);

/** Postgres has chosen this transaction to end a deadlock, or could not serialize it: nothing of it is left, and it may run once more. */
const CONFLICT: ReadonlySet<string> = new Set(['40P01', '40001']);
export const isConflict = (error: unknown): boolean => hasState(error, CONFLICT);
