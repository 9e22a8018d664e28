import { statSync } from 'node:fs';

/** Suites that wait for minutes are started first, so that the others run meanwhile. */
const LONG = [
  'faults/',
  'docs/',
  'runs/timeSkipping',
  'runs/termination',
  'db/silence',
  'contract/stopping',
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
