import { randomUUID } from 'node:crypto';
import type { Login } from '../../db/kernel/connection.ts';
import { query, underTest } from './world.ts';

/** Creates an empty database on the server under test; returns its owner's URL. */
export async function createDatabase(name: string, template = 'template1'): Promise<string> {
  const database = `${name}_${randomUUID().slice(0, 8)}`;
  await query(`CREATE DATABASE ${database} TEMPLATE ${template}`);
  const url = new URL(underTest.databaseUrl);
  url.pathname = `/${database}`;
  return url.href;
}

/** Creates one with the newest schema, a copy of what was migrated once for the whole suite. */
export const migratedDatabase = (name: string): Promise<string> => createDatabase(name, underTest.migrated);

/** The URL by which a role logs in to this database on the server under test. */
export function roleUrl(databaseUrl: string, role: Login): string {
  const known = new URL(underTest.env[role === 'sangjeom_app' ? 'APP_DATABASE_URL' : 'RELAY_DATABASE_URL']!);
  const url = new URL(databaseUrl);
  [url.username, url.password] = [known.username, known.password];
  return url.href;
}
