import { Pool } from 'pg';
import { KEEPALIVE } from '../db/kernel/connection.ts';
import type { Log } from '../db/kernel/log.ts';

/** The pool of relay and reconciler: how long a statement or a transaction may take is set on their role (X18). */
export function openRelayPool(connectionString: string, log: Log): Pool {
  const pool = new Pool({ ...KEEPALIVE, connectionString, max: 8, connectionTimeoutMillis: 2000, query_timeout: 5000 });
  // A connection that breaks while it is in use reports to nobody else; without a listener it would end the process.
  pool.on('connect', (connection) => connection.on('error', (error) => log.warn({ err: error }, 'relay connection lost')));
  pool.on('error', (error) => log.warn({ err: error }, 'relay connection lost'));
  return pool;
}
