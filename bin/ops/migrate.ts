/**
 * `npm run migrate`: migrates the database of DATABASE_URL to the newest schema, and sets the passwords of the login roles of API and
 * worker to those of APP_DATABASE_URL and RELAY_DATABASE_URL.
 */
import { migrate } from '../../db/migrate.ts';
import { UserError, run, printProgress } from '../kernel/cli.ts';

await run(async () => {
  const env = process.env;
  const need = (name: string, what: string): string => {
    if (!env[name]) throw new UserError(`Set ${name} ${what}.`);
    return env[name];
  };
  const databaseUrl = need('DATABASE_URL', 'to the owner of the database');
  const appDatabaseUrl = need('APP_DATABASE_URL', 'to where API and worker log in, as sangjeom_app');
  const relayDatabaseUrl = need('RELAY_DATABASE_URL', 'to where the relay logs in, as sangjeom_relay');
  try {
    await migrate(databaseUrl, { appDatabaseUrl, relayDatabaseUrl });
  } catch (error) {
    if ((error as { code?: string }).code !== '55P03') throw error;
    throw new UserError(
      'A table was in use for ten seconds, and everybody else would have waited too: nothing was changed by this step, run it again.',
    );
  }
  printProgress('The database is up to date.');
});
