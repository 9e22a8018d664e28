/** One drill in a separate process, so that it can also run from a sabotaged copy of the tree. Prints its report as JSON. */
import { parseArgs } from 'node:util';
import { run } from '../../bin/kernel/cli.ts';
import { playBooks } from './books/play.ts';
import { bench, killUnderLoad } from './harness.ts';

await run(async () => {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string', default: '0' },
      buyers: { type: 'string', default: '6' },
      orders: { type: 'string', default: '2' },
      failpoints: { type: 'string', default: '' },
      // A random shop instead, whose books are balanced.
      books: { type: 'boolean', default: false },
      actions: { type: 'string', default: '600' },
      actors: { type: 'string', default: '6' },
      seed: { type: 'string', default: '1' },
    },
  });
  const under = await bench({ FAILPOINTS: values.failpoints, CHECK_REPLIES: String(values.books) });
  try {
    const report = values.books
      ? await playBooks(under, { actions: Number(values.actions), actors: Number(values.actors), seed: Number(values.seed) })
      : await killUnderLoad(under, { kills: Number(values.kills), buyers: Number(values.buyers), orders: Number(values.orders) });
    process.stdout.write(`${JSON.stringify(report)}\n`);
  } finally {
    await under.close();
  }
  return 0;
});
