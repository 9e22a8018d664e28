import { Client } from 'pg';

/** Tells a new database's planner what is in it, which autovacuum would do at some time within the measurement. */
export async function analyze(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('VACUUM ANALYZE').finally(() => client.end());
}
