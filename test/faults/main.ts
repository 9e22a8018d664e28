/**
 * `npm run faults -- --kills 100 [--buyers 6]`: random kills, then every failpoint, then the sabotages that must be detected,
 * then 20 rounds of 40 buyers on a stock of 10, 200 races of cancels, every transition of a claim and of a payment at its failpoints, and
 * migrations of 1,000 items.
 *
 * `npm run faults -- --books [--actions 600] [--actors 6] [--seed 1]`: a random shop instead, whose books of money and stock have to
 * balance, then shorter ones with sabotages that must be detected. A seed makes the same choices; what happens at once is decided anew.
 */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { root } from '../../bin/kernel/paths.ts';
import { run } from '../../bin/kernel/cli.ts';
import { FAILPOINTS } from '../../db/kernel/failpoint.ts';
import type { Report } from './harness.ts';
import { BOOK_SABOTAGES, SABOTAGES, sabotaged } from './sabotage.ts';

const print = (line: string) => process.stdout.write(`${line}\n`);

await run(async () => {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string', default: '100' },
      buyers: { type: 'string', default: '6' },
      books: { type: 'boolean', default: false },
      actions: { type: 'string', default: '600' },
      actors: { type: 'string', default: '6' },
      seed: { type: 'string', default: '1' },
    },
  });
  const common = ['--buyers', values.buyers];
  let failed = 0;
  const check = (what: string, { orders, requests, retries, violations, broke, notes = [] }: Report, holds: boolean) => {
    // A drill that failed to run proves nothing.
    const isExpected = holds && broke !== true;
    failed += isExpected ? 0 : 1;
    print(
      `${isExpected ? 'ok  ' : 'FAIL'} ${what}: ${orders} orders, ${requests} requests, ${retries} retries, ${violations.length} violations`,
    );
    for (const violation of violations.slice(0, isExpected ? 1 : 20)) print(`       ${violation}`);
    for (const note of notes) print(`       ${note}`);
  };
  if (values.books) {
    const { actions, actors, seed } = values;
    const played = ['--books', '--actors', actors, '--seed', seed];
    const report = await drill(root, [...played, '--actions', actions]);
    check(`${actions} actions by ${actors} at once, seed ${seed}`, report, report.violations.length === 0);
    for (const sabotage of BOOK_SABOTAGES) {
      const copy = sabotaged(sabotage);
      const { notes: _notes, ...found } = await drill(copy, [...played, '--actions', actions]);
      check(`sabotage "${sabotage.name}" is caught`, found, found.violations.length > 0);
      rmSync(copy, { recursive: true, force: true });
    }
    print(failed === 0 ? 'The books balance, and the sabotages were caught.' : `${failed} drills failed.`);
    return failed === 0 ? 0 : 1;
  }
  const random = await drill(root, [...common, '--kills', values.kills]);
  check(`${values.kills} random kills of API, worker, Postgres and Temporal`, random, random.violations.length === 0);
  for (const failpoint of FAILPOINTS) {
    const report = await drill(root, [...common, '--failpoints', `${failpoint}=0.03`, '--orders', '20']);
    check(`killed at ${failpoint}`, report, report.violations.length === 0);
  }
  for (const sabotage of SABOTAGES) {
    const copy = sabotaged(sabotage);
    const report = await drill(copy, [...common, '--failpoints', sabotage.failpoints, '--orders', '40']);
    check(`sabotage "${sabotage.name}" is caught`, report, report.violations.length > 0);
    rmSync(copy, { recursive: true, force: true });
  }
  const suites = [
    'test/system/runs/concurrency',
    'test/system/orders/races',
    'test/faults/failpoints',
    'test/faults/paymentFailpoints',
    'test/faults/migration',
  ];
  const rounds = spawn(process.execPath, [join(root, 'bin/test.ts'), ...suites], {
    stdio: 'inherit',
    env: { ...process.env, STOCK_ROUNDS: '20', RACE_ROUNDS: '200', CLAIM_KILLS: 'all', PAYMENT_KILLS: 'all', FLOW_ITEMS: '1000' },
  });
  if ((await new Promise((resolve) => rounds.once('exit', resolve))) !== 0) failed += 1;
  print(failed === 0 ? 'All invariants held, and the sabotages were caught.' : `${failed} drills failed.`);
  return failed === 0 ? 0 : 1;
});

async function drill(tree: string, args: readonly string[]): Promise<Report> {
  const child = spawn(process.execPath, [join(tree, 'test/faults/drill.ts'), ...args], { cwd: tree, stdio: ['ignore', 'pipe', 'ignore'] });
  const [output, code] = await Promise.all([text(child.stdout), new Promise((resolve) => child.once('exit', resolve))]);
  const line = output.trim().split('\n').at(-1) ?? '';
  return line.startsWith('{')
    ? (JSON.parse(line) as Report)
    : { kills: 0, orders: 0, requests: 0, retries: 0, violations: [`the drill ended with code ${String(code)}`], broke: true };
}
