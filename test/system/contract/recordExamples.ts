/** Writes `api/examples.json` from a walk through a running system: `npm run record:examples`. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../bin/kernel/paths.ts';
import { run, printProgress } from '../../../bin/kernel/cli.ts';

await run(async () => {
  const { setUp, tearDown } = await import('../../kernel/system.ts');
  await setUp();
  try {
    const { walk } = await import('./examples.ts');
    const { underTest, world } = await import('../../kernel/world.ts');
    const walked = Object.entries(await walk(await world())).toSorted(([a], [b]) => (a < b ? -1 : 1));
    const text = JSON.stringify(Object.fromEntries(walked.map(([id, { request, response }]) => [id, { request, response }])), null, 1);
    const file = join(root, 'api/examples.json');
    writeFileSync(
      file,
      `${text
        .replaceAll(underTest.api, 'https://api.example.com')
        .replaceAll('hooks.example.invalid', 'hooks.example.com')
        .replaceAll(/whsec_[\w-]+/g, `whsec_${'A'.repeat(43)}`)
        .replaceAll(/svcs_[\w-]{20,}/g, `svcs_${'A'.repeat(43)}`)
        .replaceAll(/svcpat_\w{49}/g, `svcpat_${'A'.repeat(49)}`)
        .replaceAll(/payment-notifications\/[0-9a-f]{64}/g, `payment-notifications/${'0'.repeat(64)}`)
        .replaceAll(/eyJ[\w.-]+/g, 'eyJ…')}\n`,
    );
    execFileSync(join(root, 'node_modules/.bin/oxfmt'), [file]);
    printProgress(`${walked.length} examples recorded.`);
  } finally {
    await tearDown();
  }
  return 0;
});
