/** Runs suites on `jest-circus`, one after the other, as the runner asks for them. */
import { flushCompileCache } from 'node:module';
import { pathToFileURL } from 'node:url';
import { expect } from 'expect';
import { addEventHandler, getState, resetState, run } from 'jest-circus';

interface SuiteRequest {
  readonly path: string;
  /** Milliseconds. */
  readonly testTimeout: number;
  readonly testNamePattern: string | null;
}

addEventHandler((event) => {
  if (event.name === 'test_start') expect.setState({ currentTestName: event.test.name });
});

/** What nobody awaits fails the test in which it happens, or the suite. */
function onUnhandled(error: unknown): void {
  const { currentlyRunningTest, unhandledErrors } = getState();
  (currentlyRunningTest?.errors ?? unhandledErrors).push([error, new Error('Not handled')]);
}
process.on('uncaughtException', onUnhandled).on('unhandledRejection', onUnhandled);

process.on('message', (request: SuiteRequest) => {
  void runSuite(request)
    .catch((error: unknown) => ({
      error: error instanceof Error ? { message: error.message, stack: error.stack } : { message: String(error) },
    }))
    .then((answer) => {
      process.send!({ ...answer, rss: process.memoryUsage.rss() });
      // Now, not at its end: it is killed, and what it compiled is there for the next run.
      flushCompileCache();
    });
});

async function runSuite({ path, testTimeout, testNamePattern }: SuiteRequest) {
  const start = Date.now();
  resetState();
  Object.assign(getState(), {
    testTimeout,
    parentProcess: process,
    testNamePattern: testNamePattern === null ? null : new RegExp(testNamePattern, 'i'),
  });
  expect.setState({ testPath: path });
  await import(pathToFileURL(path).href);
  const { testResults, unhandledErrors } = await run();
  return { start, end: Date.now(), unhandledErrors, testResults: testResults.map(assertionOf) };
}

type Result = Awaited<ReturnType<typeof run>>['testResults'][number];
const STATUSES = { skip: 'pending', todo: 'todo' } as const;
function statusOf({ status, errors }: Result) {
  if (status !== 'done') return STATUSES[status];
  return errors.length > 0 ? 'failed' : 'passed';
}

/** An `AssertionResult` of Jest. The first name of a path is that of the root. */
function assertionOf(result: Result) {
  const { testPath, errors, duration, invocations, numPassingAsserts } = result;
  const names = testPath.slice(1);
  return {
    title: names.at(-1),
    ancestorTitles: names.slice(0, -1),
    fullName: names.join(' '),
    status: statusOf(result),
    duration: duration ?? null,
    failureMessages: errors,
    failureDetails: [],
    invocations,
    numPassingAsserts,
    retryReasons: [],
    location: null,
  };
}
