import { randomUUID } from 'node:crypto';
import { query, underTest } from './world.ts';

/** An empty database of a test's own on the server under test; answers its owner's URL. */
export async function createDatabase(name: string): Promise<string> {
  const database = `${name}_${randomUUID().slice(0, 8)}`;
  await query(`CREATE DATABASE ${database}`);
  const url = new URL(underTest.databaseUrl);
  url.pathname = `/${database}`;
  return url.href;
}
