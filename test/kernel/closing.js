import { writeFileSync } from 'node:fs';

/** The suite's last words, in the form that CI systems read, and for `bin/test.ts` the suites that failed. */
export default class Closing {
  onRunComplete(_, { numPassedTests, numFailedTests, numPendingTests, testResults }) {
    process.stderr.write(`\n${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped\n`);
    const failed = testResults.filter((suite) => suite.numFailingTests > 0 || suite.testExecError != null);
    if (process.env.FAILED_SUITES) writeFileSync(process.env.FAILED_SUITES, JSON.stringify(failed.map((suite) => suite.testFilePath)));
  }
}
