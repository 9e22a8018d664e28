/**
 * `npm run record:histories -- 16 [types]`: records one history per path into `test/histories/<issue>/`, once per issue, when it closes:
 * of all workflow types, or of those named, as in `-- 19 claim`. Refuses a folder that exists.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { UserError, run, printProgress } from '../../bin/kernel/cli.ts';
import { root } from '../../bin/kernel/paths.ts';
import { WORKFLOW_TYPES } from '../../workflows/kernel/messages.ts';

const [issue = '', ...types] = process.argv.slice(2);

await run(async () => {
  const folder = join(root, 'test/histories', issue);
  if (!/^\d+$/.test(issue)) throw new UserError('Name the issue: npm run record:histories -- 16');
  const unknown = types.filter((type) => !WORKFLOW_TYPES.some((known) => known === type));
  if (unknown.length > 0) throw new UserError(`No workflow type is called ${unknown.join(', ')}: ${WORKFLOW_TYPES.join(', ')}.`);
  if (existsSync(folder)) throw new UserError(`${folder} exists: histories are never recorded again.`);
  const { setUp, tearDown } = await import('../kernel/system.ts');
  await setUp();
  try {
    const { paths } = await import('./paths.ts');
    const { temporalClient } = await import('../kernel/world.ts');
    const client = await temporalClient();
    const wanted = WORKFLOW_TYPES.filter((type) => types.length === 0 || types.includes(type));
    mkdirSync(folder);
    for (const [name, walk] of wanted.flatMap((type) => Object.entries(paths[type]))) {
      const workflowId = await walk();
      writeFileSync(join(folder, `${name}.json`), historyToJSON(await client.workflow.getHandle(workflowId).fetchHistory()));
      printProgress(`recorded ${name}`);
    }
  } finally {
    await tearDown();
  }
  return 0;
});
