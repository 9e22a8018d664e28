/** `node server.mjs <database> <port>`: the server, with its job queue in the same process. */
import { bootstrap, JobQueueService } from '@vendure/core';
import { configOf } from './config.mjs';

const [databaseUrl, port] = process.argv.slice(2);
const app = await bootstrap(configOf(databaseUrl, port, false));
await app.get(JobQueueService).start();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void app.close().finally(() => process.exit(0)));
process.stdout.write('ready\n');
