import { readFileSync } from 'node:fs';
import { formatResultsErrors } from 'jest-message-util';
import { SuiteProcess } from './suiteProcess.js';

/** A suite whose first comment has this tag changes what all suites of a process share, so that it has a process of its own. */
const OWN_PROCESS = /^\/\*\*(?:(?!\*\/)[^])*@ownProcess/;
const NO_SNAPSHOTS = { added: 0, fileDeleted: false, matched: 0, unchecked: 0, uncheckedKeys: [], unmatched: 0, updated: 0 };

/**
 * A runner of Jest. Suites run on `jest-circus` in plain Node processes, one after the other in each: Node strips the types, and a module
 * is loaded once in a process. Jest's own runner loads all modules of a suite anew in a VM context, which took more time than the tests.
 */
export default class PlainRunner {
  #globalConfig;
  constructor(globalConfig) {
    this.#globalConfig = globalConfig;
  }

  async runTests(tests, watcher, onStart, onResult, onFailure) {
    const left = [...tests];
    const runNext = async (shared) => {
      const test = left.shift();
      if (!test || watcher.isInterrupted()) return shared?.end();
      const isOwn = OWN_PROCESS.test(readFileSync(test.path, 'utf8'));
      const suites = isOwn || !shared ? new SuiteProcess() : shared;
      await onStart(test);
      await suites.run(this.#requestOf(test)).then(
        (run) => onResult(test, this.#resultOf(test, run)),
        (error) => onFailure(test, { message: error.message, stack: error.stack }),
      );
      if (isOwn || suites.isSpent) await suites.end();
      const following = isOwn ? shared : suites;
      return runNext(following?.isEnded ? null : following);
    };
    const { maxWorkers } = this.#globalConfig;
    await Promise.all(Array.from({ length: Math.min(maxWorkers, tests.length) }, () => runNext(null)));
  }

  /** What the process is sent. */
  #requestOf({ path, context: { config } }) {
    const { testTimeout, testNamePattern = null } = this.#globalConfig;
    return { path, testTimeout: config.testTimeout ?? testTimeout, testNamePattern };
  }

  /** A `TestResult` of Jest. */
  #resultOf({ path, context: { config } }, { testResults, unhandledErrors, start, end }) {
    const count = (status) => testResults.filter((one) => one.status === status).length;
    const unhandled = unhandledErrors.join('\n');
    const failures = [formatResultsErrors(testResults, config, this.#globalConfig, path), unhandled];
    return {
      displayName: config.displayName,
      failureMessage: failures.filter(Boolean).join('\n\n') || null,
      leaks: false,
      numFailingTests: count('failed'),
      numPassingTests: count('passed'),
      numPendingTests: count('pending'),
      numTodoTests: count('todo'),
      openHandles: [],
      perfStats: { start, end, runtime: end - start, slow: (end - start) / 1000 > config.slowTestThreshold },
      skipped: false,
      snapshot: NO_SNAPSHOTS,
      testExecError: unhandled === '' ? undefined : { message: '', stack: unhandled },
      testFilePath: path,
      testResults,
    };
  }
}
