/**
 * What ends a connection to Postgres whose other side is gone without a word (X18). The server's side of it is set on the
 * login roles, so that it holds for every process and every version of it; this here is the client's.
 */

/** Clients ask after five quiet seconds whether the server is still there; Node asks ten times, a second apart. */
export const KEEPALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 5000 } as const;

export type Settings = Readonly<Record<string, string>>;

/**
 * A lock is held by a session that runs a statement, that idles in a transaction, or that cannot get rid of an answer. Each ends
 * within seconds, whether the client's machine is gone (keepalives), answers on TCP's level only (timeouts) or takes nothing any more
 * (`tcp_user_timeout`, which counts for a closed window too).
 */
const VANISHED: Settings = {
  idle_in_transaction_session_timeout: '5s',
  client_connection_check_interval: '1s',
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '2',
  tcp_keepalives_count: '2',
  tcp_user_timeout: '5000',
};

/** The roles that processes log in as; neither owns a table. */
export type Login = 'sangjeom_app' | 'sangjeom_relay';

/** Set on the roles that processes log in as, in the database. A pool or a transaction may ask for less, never needs to. */
export const ROLE_SETTINGS = {
  sangjeom_app: { ...VANISHED, statement_timeout: '2500ms', lock_timeout: '2s' },
  // The reconciler's lock belongs to a session, not to a transaction: a session that says nothing for so long gives it back.
  sangjeom_relay: { ...VANISHED, statement_timeout: '4s', lock_timeout: '2s', idle_session_timeout: '30s' },
} as const satisfies Readonly<Record<Login, Settings>>;

/**
 * For the sessions that migrate: a migration may take as long as it needs, but waits no longer for a table than every transaction
 * of the app lasts, because everybody else waits behind it. The one that holds the migration's lock is idle meanwhile, and says so.
 */
export const MIGRATION_SETTINGS: Settings = {
  ...VANISHED,
  idle_in_transaction_session_timeout: '8s',
  statement_timeout: '0',
  lock_timeout: '10s',
  idle_session_timeout: '20s',
};

/** What the owner becomes for work that needs no more than the role may do; row security holds as for the role itself. */
export type ActingRole = 'sangjeom_app' | 'sangjeom_operator';
export const actingAs = (role: ActingRole): string => startOptions({ role });

/** Settings in the form in which a connection asks for them when it opens. */
export const startOptions = (settings: Settings): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
