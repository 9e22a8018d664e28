/** The suite's last words, in the form that CI systems read. */
export default class Closing {
  onRunComplete(_, { numPassedTests, numFailedTests, numPendingTests }) {
    process.stderr.write(`\n${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped\n`);
  }
}
