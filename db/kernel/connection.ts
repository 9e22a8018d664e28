/**
 * Detection of dead peers on connections to Postgres. The server's settings are stored on the login roles, so that they apply to
 * every process of every version; KEEPALIVE is the client's side.
 */

/** TCP keepalive of clients: the first probe after five idle seconds; Node sends ten, a second apart. */
export const KEEPALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 5000 } as const;

export type Settings = Readonly<Record<string, string>>;

/**
 * A session holds its locks while it runs a statement, idles in a transaction, or cannot send a result. With these settings each ends
 * within seconds, whether the client's machine is gone (keepalives), the process hangs while its TCP stack answers (timeouts), or the
 * client reads nothing any more (`tcp_user_timeout`, which covers a closed window too).
 */
const DEAD_PEER_SETTINGS: Settings = {
  idle_in_transaction_session_timeout: '5s',
  client_connection_check_interval: '1s',
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '2',
  tcp_keepalives_count: '2',
  tcp_user_timeout: '5000',
};

/** The roles that processes log in as; neither owns tables. */
export type Login = 'sangjeom_app' | 'sangjeom_relay';

/** Settings of the login roles. A pool or transaction may set lower limits. */
export const ROLE_SETTINGS = {
  sangjeom_app: { ...DEAD_PEER_SETTINGS, statement_timeout: '2500ms', lock_timeout: '2s' },
  // The reconciler's advisory lock belongs to a session, not to a transaction: idle_session_timeout releases it.
  sangjeom_relay: { ...DEAD_PEER_SETTINGS, statement_timeout: '4s', lock_timeout: '2s', idle_session_timeout: '30s' },
} as const satisfies Readonly<Record<Login, Settings>>;

/**
 * Settings of migration sessions. A statement may take as long as it needs, but waits for a table lock no longer than the app's
 * transactions last, because everybody else queues behind it. The session that holds the migration's advisory lock is idle and sends
 * heartbeats.
 */
export const MIGRATION_SETTINGS: Settings = {
  ...DEAD_PEER_SETTINGS,
  idle_in_transaction_session_timeout: '8s',
  statement_timeout: '0',
  lock_timeout: '10s',
  idle_session_timeout: '20s',
};

/** Roles that the owner may SET for work that needs only their rights; row-level security applies as for the role itself. */
export type ActingRole = 'sangjeom_app' | 'sangjeom_operator';
export const actingAs = (role: ActingRole): string => startOptions({ role });

/** Settings as the `options` parameter of a new connection. */
export const startOptions = (settings: Settings): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
