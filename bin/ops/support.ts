/**
 * `npm run support -- <command>`, each with `--json`:
 * `points <customerId>`: a member's points with every entry, and whether they agree;
 * `find <number or id>`: its runs; `explain <number or id>`: what they wait for and why; `refunds`: those that failed or are held;
 * `retry <refund, workflow or number>`: retries now; `reset <workflowId> [--event-id N] [--reason TEXT]`: resets a workflow to one of its
 * workflow tasks (the first); `replay <workflowId>`: replays its history on this checkout's code; `personal-data <customerId>`:
 * everything personal of a customer, as JSON.
 */
import { run } from '../kernel/cli.ts';
import { ownerUrl, temporalAddress } from './environment.ts';
import { answerOf } from './support/commands.ts';

await run(async () => {
  process.stdout.write(await answerOf(process.argv.slice(2), () => ({ databaseUrl: ownerUrl(), temporal: temporalAddress() })));
  return 0;
});
