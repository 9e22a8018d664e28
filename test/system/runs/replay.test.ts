/** Runs in flight survive every commit: committed histories replay on the bundle that is shipped. */
import { beforeAll, expect, test } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from '@temporalio/worker';
import { root } from '../../../bin/kernel/paths.ts';
import { workflowBundle } from '../../../worker/bundle.ts';
import { untraced } from '../../../worker/tracing.ts';
import { installRuntime } from '../../kernel/temporal.ts';

interface Headed {
  header?: { fields?: Record<string, unknown> };
}
interface RecordedEvent {
  workflowExecutionStartedEventAttributes?: {
    workflowId: string;
    workflowType: { name: string };
    input?: { payloads: { data: string }[] };
  } & Headed;
  workflowExecutionSignaledEventAttributes?: Headed;
  workflowExecutionUpdateAcceptedEventAttributes?: { acceptedRequest: { input: Headed } };
}
const base64 = (text: string) => Buffer.from(text).toString('base64');
const TRACE = {
  metadata: { encoding: base64('json/plain') },
  data: base64(JSON.stringify({ traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` })),
};

/** As it would have been recorded had the caller been traced. */
function traced(event: RecordedEvent): RecordedEvent {
  const headed = [
    event.workflowExecutionStartedEventAttributes,
    event.workflowExecutionSignaledEventAttributes,
    event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest.input,
  ];
  for (const one of headed) if (one) one.header = { fields: { ...one.header?.fields, '_tracer-data': TRACE } };
  return event;
}

/** As it would have been recorded had the run been started by a newer process, and run by a worker of then. */
function brief(event: RecordedEvent): RecordedEvent {
  const started = event.workflowExecutionStartedEventAttributes;
  const [payload] = started?.input?.payloads ?? [];
  if (started?.workflowType.name !== 'webhookDelivery' || !payload) return event;
  const run = JSON.parse(Buffer.from(payload.data, 'base64').toString()) as object;
  payload.data = base64(JSON.stringify({ ...run, isBrief: true }));
  return event;
}

beforeAll(installRuntime);

test.each([
  ['as it is', (event: RecordedEvent) => event],
  ['with a trace in every start, signal and update', traced],
  ['with a first attempt that was asked for briefly', brief],
])('every committed history replays without a difference, %s', async (_, change) => {
  const files = globSync('test/histories/*/*.json', { cwd: root }).toSorted();
  expect(files.length).toBeGreaterThan(0);
  const histories = files.map((file) => {
    const history = JSON.parse(readFileSync(join(root, file), 'utf8')) as { events: RecordedEvent[] };
    history.events = history.events.map(change);
    return { workflowId: history.events[0]!.workflowExecutionStartedEventAttributes!.workflowId, history };
  });
  const problems: string[] = [];
  let replayed = 0;
  for await (const { error, workflowId } of Worker.runReplayHistories({ workflowBundle: await workflowBundle(), ...untraced }, histories)) {
    replayed++;
    if (error) problems.push(`${files[histories.findIndex((one) => one.workflowId === workflowId)]}: ${error.message}`);
  }
  expect(problems).toEqual([]);
  expect(replayed).toBe(files.length);
});
