import { statSync } from 'node:fs';

/**
 * Suites that take long are started first: those that wait for minutes, each beside some that work all the time, so that no processor
 * idles and none is left with a long suite at the end.
 */
const LONG = [
  'faults/failpoints',
  'faults/paymentFailpoints',
  'contract/shapes',
  'faults/outage',
  'faults/migration',
  'runs/timeSkipping',
  'docs/',
  'approvals/races',
  'db/silence',
  'contract/agentMatrix',
  'runs/termination',
  'runs/canaries',
  'contract/stopping',
  'apiRequestLogs/attribution',
  'contract/policies',
  'runs/replay',
  'flows/randomRuns',
  'mcp/forms',
  'bin/start',
  'payments/',
  'runs/',
  'contract/dryRun',
  'bin/support',
  'contract/inputs',
];

/** A test sequencer of Jest. The order does not depend on earlier runs. */
export default class LongestFirst {
  sort(tests) {
    const rankOf = ({ path }) => {
      const rank = LONG.findIndex((part) => path.includes(`/test/${part}`) || path.includes(`/test/system/${part}`));
      return rank === -1 ? LONG.length : rank;
    };
    const sizes = new Map(tests.map((test) => [test, statSync(test.path).size]));
    return tests.toSorted((a, b) => rankOf(a) - rankOf(b) || sizes.get(b) - sizes.get(a));
  }
  shard(tests, { shardIndex, shardCount }) {
    return tests.filter((_, i) => i % shardCount === shardIndex - 1);
  }
  allFailedTests(tests) {
    return tests;
  }
  cacheResults() {}
}
