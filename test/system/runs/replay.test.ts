/**
 * Runs in flight survive every commit: committed histories replay on the bundle that is shipped. Of every path all generations stay: older
 * ones alone have no markers of patches, and other sequences of commands. The newest alone would save two seconds in each way.
 */
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
  const [payload] = event.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  if (!payload) return event;
  const run = JSON.parse(Buffer.from(payload.data, 'base64').toString()) as object;
  payload.data = base64(JSON.stringify({ ...run, isBrief: true }));
  return event;
}

beforeAll(installRuntime);

const startOf = ({ events: [first] }: { events: readonly RecordedEvent[] }) => first!.workflowExecutionStartedEventAttributes!;

test.each([
  ['every committed history', 'as it is', () => true, (event: RecordedEvent) => event],
  ['every committed history', 'with a trace in every start, signal and update', () => true, traced],
  ['every delivery', 'with a first attempt that was asked for briefly', (type: string) => type === 'webhookDelivery', brief],
])('%s replays without a difference, %s', async (_, _way, isMeant, change) => {
  const read = globSync('test/histories/*/*.json', { cwd: root })
    .toSorted()
    .map((file) => ({ file, history: JSON.parse(readFileSync(join(root, file), 'utf8')) as { events: RecordedEvent[] } }))
    .filter(({ history }) => isMeant(startOf(history).workflowType.name));
  const files = read.map(({ file }) => file);
  expect(files.length).toBeGreaterThan(0);
  const histories = read.map(({ history }) => {
    history.events = history.events.map(change);
    return { workflowId: startOf(history).workflowId, history };
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
