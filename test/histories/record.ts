/**
 * `npm run record:histories -- 16`: records one history per path into `test/histories/<issue>/`, once per issue, when it closes. Refuses
 * a folder that exists.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { UserError, run, printProgress } from '../../bin/kernel/cli.ts';
import { root } from '../../bin/kernel/paths.ts';

const issue = process.argv[2] ?? '';

await run(async () => {
  const folder = join(root, 'test/histories', issue);
  if (!/^\d+$/.test(issue)) throw new UserError('Name the issue: npm run record:histories -- 16');
  if (existsSync(folder)) throw new UserError(`${folder} exists: histories are never recorded again.`);
  const { setUp, tearDown } = await import('../kernel/system.ts');
  await setUp();
  try {
    const { paths } = await import('./paths.ts');
    const { temporalClient } = await import('../kernel/world.ts');
    const client = await temporalClient();
    mkdirSync(folder);
    for (const [name, tell] of Object.values(paths).flatMap((of) => Object.entries(of))) {
      const workflowId = await tell();
      writeFileSync(join(folder, `${name}.json`), historyToJSON(await client.workflow.getHandle(workflowId).fetchHistory()));
      printProgress(`recorded ${name}`);
    }
  } finally {
    await tearDown();
  }
  return 0;
});
