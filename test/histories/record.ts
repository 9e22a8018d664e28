/**
 * Records one history per path into `test/histories/<issue>/`, when an issue closes and never again:
 * `npm run record:histories -- 16`. A folder that exists is left alone.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { Remedy, run, say } from '../../bin/kernel/say.ts';
import { root } from '../../bin/kernel/paths.ts';

const issue = process.argv[2] ?? '';

await run(async () => {
  const folder = join(root, 'test/histories', issue);
  if (!/^\d+$/.test(issue)) throw new Remedy('Name the issue: npm run record:histories -- 16');
  if (existsSync(folder)) throw new Remedy(`${folder} exists: histories are never recorded again.`);
  const { setUp, tearDown } = await import('../kernel/system.ts');
  await setUp();
  try {
    const { paths } = await import('./paths.ts');
    const { temporalClient } = await import('../kernel/world.ts');
    const client = await temporalClient();
    mkdirSync(folder);
    for (const [name, tell] of Object.entries(paths)) {
      const workflowId = await tell();
      writeFileSync(join(folder, `${name}.json`), historyToJSON(await client.workflow.getHandle(workflowId).fetchHistory()));
      say(`recorded ${name}`);
    }
  } finally {
    await tearDown();
  }
  return 0;
});
