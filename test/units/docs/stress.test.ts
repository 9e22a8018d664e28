/** `npm run stress` has the full count of everything that `npm test` does less often, and docs/operations.md names it. */
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { type Outcome, outcomesIn, reportWith } from '../../stress/report.ts';
import { commandOf, nextRun, STRESS_RUNS } from '../../stress/runs.ts';

const page = readFileSync('docs/operations.md', 'utf8');
/** Those that draw a sequence again, or print more: no counts. */
const NO_COUNTS = /_SEED$|_PATH$|^PAYMENT_TIMES$/;
const countsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/process\.env\['([A-Z_]+)'\] (?:\?\? \d|=== 'all')/g)].map(([, name]) => name!);
const files = globSync('test/{units,system,faults}/**/*.ts').toSorted();
const reads = new Map(files.map((file) => [file, countsOf(file)]));

describe('the runs', () => {
  test('have every count that a suite reads, beside that suite', () => {
    const missing = [...reads].flatMap(([file, names]) =>
      names
        .filter((name) => !NO_COUNTS.test(name))
        .filter(
          (name) => !STRESS_RUNS.some(({ args, env }) => Object.hasOwn(env, name) && args.some((path) => file.startsWith(folderOf(path)))),
        )
        .map((name) => `${file}: ${name}`),
    );
    expect(missing).toEqual([]);
  });
  test('set no variable that nothing reads', () => {
    const known = new Set([...reads.values()].flat());
    expect(STRESS_RUNS.flatMap(({ env }) => Object.keys(env)).filter((name) => !known.has(name) && !NO_COUNTS.test(name))).toEqual([]);
  });
  test('are in the table of docs/operations.md', () => {
    expect(STRESS_RUNS.map(commandOf).filter((command) => !page.includes(`\`${command}\``))).toEqual([]);
  });
  test('are different commands', () => {
    expect(new Set(STRESS_RUNS.map(commandOf)).size).toBe(STRESS_RUNS.length);
  });
});
/** A count may stand in a file beside its suite. */
const folderOf = (path: string): string => (path.startsWith('test/faults') ? 'test/faults' : path);

describe('the budget', () => {
  const [short, long] = [
    { ...STRESS_RUNS[0]!, minutes: 5 },
    { ...STRESS_RUNS[0]!, minutes: 50 },
  ];
  test('starts no run that would end after it', () => {
    expect(nextRun([long, short], { minutesLeft: 60, isFirst: true })).toBe(long);
    expect(nextRun([long, short], { minutesLeft: 10, isFirst: false })).toBe(short);
    expect(nextRun([long, short], { minutesLeft: 4, isFirst: false })).toBeUndefined();
  });
  test('lets every call begin a run, however long it is', () => {
    expect(nextRun([long, short], { minutesLeft: 1, isFirst: true })).toBe(long);
    expect(nextRun([], { minutesLeft: 60, isFirst: true })).toBeUndefined();
  });
});

test('a report says what has ended, with the last lines of what failed', () => {
  const green: Outcome = {
    when: '2026-11-26T17:00',
    commit: 'abc',
    command: 'A=1 npm test -- x',
    minutes: 3,
    isGreen: true,
    summary: '5 passed',
  };
  const red: Outcome = { ...green, command: 'npm run faults -- --kills 100', isGreen: false, summary: '1 drills failed | why' };
  const report = [green, red, { ...green, commit: 'def' }].reduce((text, one) => reportWith(text, one, ['| no | row |']), '');
  expect(outcomesIn(report)).toEqual([green, { ...red, summary: '1 drills failed / why' }, { ...green, commit: 'def' }]);
  expect(report.match(/\| no \| row \|/g)).toHaveLength(1);
  expect(report.indexOf('| no | row |')).toBeGreaterThan(report.indexOf('| def |'));
});
