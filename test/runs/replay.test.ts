/** Runs in flight survive every commit: committed histories replay on the bundle that is shipped. */
import { expect, test } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { root } from '../../bin/setup/paths.ts';
import { workflowBundle } from '../../worker/bundle.ts';

test('every committed history replays without a difference', async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const files = globSync('test/histories/*/*.json', { cwd: root }).toSorted();
  expect(files.length).toBeGreaterThan(0);
  const histories = files.map((file) => {
    const history = JSON.parse(readFileSync(join(root, file), 'utf8')) as {
      events: { workflowExecutionStartedEventAttributes?: { workflowId: string } }[];
    };
    return { workflowId: history.events[0]!.workflowExecutionStartedEventAttributes!.workflowId, history };
  });
  const problems: string[] = [];
  let replayed = 0;
  for await (const { error, workflowId } of Worker.runReplayHistories({ workflowBundle: await workflowBundle() }, histories)) {
    replayed++;
    if (error) problems.push(`${files[histories.findIndex((one) => one.workflowId === workflowId)]}: ${error.message}`);
  }
  expect(problems).toEqual([]);
  expect(replayed).toBe(files.length);
});
