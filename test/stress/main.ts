/**
 * `npm run stress -- [--minutes 60] [--report .data/stress.txt] [--fresh]`: every full count of docs/operations.md, one run after the
 * other, until they have ended or the minutes are over. The report is also where a later call goes on: a run that has ended is not repeated
 * for the same commit, one that was interrupted is begun anew. Exit code 0: no run of this commit has failed.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { onInterrupt, printProgress, run, UserError } from '../../bin/kernel/cli.ts';
import { root } from '../../bin/kernel/paths.ts';
import { outcomesIn, reportWith } from './report.ts';
import { commandOf, nextRun, STRESS_RUNS, type StressRun } from './runs.ts';

const MINUTE = 60_000;
/** Of a run that failed. */
const LAST_LINES = 200;

let child: ChildProcess | undefined;
onInterrupt(async () => {
  if (!child || child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGINT');
  await ended;
});

/** Runs it, and shows what it prints. */
async function played(one: StressRun, commit: string) {
  const began = Date.now();
  const running = spawn(process.execPath, [join(root, 'bin/bootstrap.mjs'), ...bootstrapped(one)], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...one.env },
  });
  child = running;
  const lines: string[] = [];
  for (const [stream, shown] of [
    [running.stdout, process.stdout],
    [running.stderr, process.stderr],
  ] as const) {
    stream.pipe(shown, { end: false });
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      if (lines.length > LAST_LINES) lines.shift();
    });
  }
  const [code] = (await once(running, 'close')) as [number | null];
  const outcome = {
    when: new Date(began).toISOString().slice(0, 16),
    commit,
    command: commandOf(one),
    minutes: (Date.now() - began) / MINUTE,
    isGreen: code === 0,
    summary: lines.findLast((line) => / passed, |held|balance|failed|lost/.test(line)) ?? `exit code ${code}`,
  };
  return { outcome, lines };
}

/** What package.json's script hands to bin/bootstrap.mjs. */
function bootstrapped({ script, args }: StressRun): readonly string[] {
  return script === 'test:units' ? ['test', '--selectProjects', 'units', '--ci', ...args] : [script, ...args];
}

function commitOf(): string {
  const { stdout, status } = spawnSync('git', ['describe', '--always', '--dirty', '--exclude', '*'], { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : 'unknown';
}

await run(async () => {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '60' },
      report: { type: 'string', default: join(root, '.data/stress.txt') },
      fresh: { type: 'boolean', default: false },
    },
  });
  const budget = Number(values.minutes);
  if (!(budget > 0)) throw new UserError('--minutes is a number above 0.');
  const file = values.report;
  mkdirSync(dirname(file), { recursive: true });
  const commit = commitOf();
  if (values.fresh) rmSync(file, { force: true });
  const report = () => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  const began = Date.now();
  for (let isFirst = true; ; isFirst = false) {
    const ended = outcomesIn(report()).filter((one) => one.commit === commit);
    const left = STRESS_RUNS.filter((one) => ended.every(({ command }) => command !== commandOf(one)));
    const next = nextRun(left, { minutesLeft: budget - (Date.now() - began) / MINUTE, isFirst });
    if (!next) {
      const failed = ended.filter(({ isGreen }) => !isGreen);
      for (const { command, summary } of failed) printProgress(`red: ${command}: ${summary}`);
      printProgress(`${ended.length} runs have ended at ${commit}, ${failed.length} of them red, ${left.length} are left: ${file}`);
      return failed.length === 0 ? 0 : 1;
    }
    printProgress(`\n— ${commandOf(next)} (about ${next.minutes} minutes)`);
    const { outcome, lines } = await played(next, commit);
    writeFileSync(file, reportWith(report(), outcome, lines));
  }
});
