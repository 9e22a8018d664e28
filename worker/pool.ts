import { Pool } from 'pg';
import { KEEPALIVE } from '../db/kernel/connection.ts';
import type { Log } from '../db/kernel/log.ts';

/** The connection pool of relay and reconciler. Timeouts of statements and transactions are settings of their role. */
export function openRelayPool(connectionString: string, log: Log): Pool {
  const pool = new Pool({ ...KEEPALIVE, connectionString, max: 8, connectionTimeoutMillis: 2000, query_timeout: 5000 });
  // A connection that breaks while it is checked out emits `error` on itself; without a listener that would end the process.
  pool.on('connect', (connection) => connection.on('error', (error) => log.warn({ err: error }, 'relay connection lost')));
  pool.on('error', (error) => log.warn({ err: error }, 'relay connection lost'));
  return pool;
}
