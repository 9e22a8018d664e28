/** `npm run migrate`: brings the database of DATABASE_URL to the newest schema. */
import { migrate } from '../db/migrate.ts';
import { Remedy, run, say } from './setup/say.ts';

await run(async () => {
  const url = process.env['DATABASE_URL'];
  if (!url) throw new Remedy('Set DATABASE_URL to the owner of the database.');
  await migrate(url);
  say('The database is up to date.');
});
