/** One drill as a process of its own, so that it also runs from a sabotaged copy of the tree. Prints its report as JSON. */
import { parseArgs } from 'node:util';
import { run } from '../../bin/kernel/say.ts';
import { bench, killUnderLoad } from './harness.ts';

await run(async () => {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string', default: '0' },
      buyers: { type: 'string', default: '6' },
      gap: { type: 'string', default: '2500' },
      failpoints: { type: 'string', default: '' },
    },
  });
  const under = await bench({ FAILPOINTS: values.failpoints });
  try {
    const report = await killUnderLoad(under, { kills: Number(values.kills), buyers: Number(values.buyers), gapMs: Number(values.gap) });
    process.stdout.write(`${JSON.stringify(report)}\n`);
  } finally {
    await under.close();
  }
  return 0;
});
