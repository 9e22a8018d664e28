/**
 * `npm test`: the whole suite but for the guides (`npm run guides`); arguments go to Jest. Beside all others, on two cores, a test may find
 * a system that is too busy. So the few suites that failed in a whole run are run once more, one after the other: a suite that fails again
 * fails the run, one that passes is named.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { printProgress } from './kernel/cli.ts';
import { root } from './kernel/paths.ts';

/** More suites than these are no accident. */
const MAX_RERUN = 5;

const given = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'sangjeom-results-'));
const failedSuites = join(folder, 'failed.json');
try {
  process.exitCode = run(given.length === 0 ? ['--selectProjects', 'units', 'system'] : given);
  if (process.exitCode !== 0 && given.length === 0) process.exitCode = rerunFailed();
} finally {
  rmSync(folder, { recursive: true });
}

/** Its exit code. */
function run(args: readonly string[]): number {
  const { status } = spawnSync(process.execPath, [join(root, 'node_modules/jest/bin/jest.js'), ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, NODE_NO_WARNINGS: '1', FAILED_SUITES: failedSuites },
  });
  return status ?? 1;
}

function rerunFailed(): number {
  // Nothing ran.
  if (!existsSync(failedSuites)) return 1;
  const failed = (JSON.parse(readFileSync(failedSuites, 'utf8')) as readonly string[]).map((path) => relative(root, path));
  if (failed.length === 0 || failed.length > MAX_RERUN) return 1;
  printProgress(`Failed beside all others; once more, by themselves: ${failed.join(', ')}`);
  const code = run(['--runInBand', '--runTestsByPath', ...failed]);
  printProgress(code === 0 ? `Passed by themselves, so the run passes: ${failed.join(', ')}` : 'Failed by themselves too.');
  return code;
}
