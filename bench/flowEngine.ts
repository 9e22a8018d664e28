/** The flow engine on one core, without a system. */
import { compileExpressions } from '../domain/flows/expressions/compile.ts';
import type { Scope, Tables } from '../domain/flows/expressions/types.ts';
import { percentile } from './measure.ts';

const ROUNDS = 7;

/** How often a second of a core does it: the median of several rounds of a quarter second, after one that warms up. */
function perSecond(work: () => void): number {
  const round = () => {
    const before = process.cpuUsage();
    let [times, spent] = [0, 0];
    while (spent < 250_000) {
      for (let i = 0; i < 100; i++) work();
      times += 100;
      const { user, system } = process.cpuUsage(before);
      spent = user + system;
    }
    return (times / spent) * 1_000_000;
  };
  round();
  return Math.round(percentile(Array.from({ length: ROUNDS }, round), 0.5));
}

/** The fee of a stay: the longest expression of the presets. */
const weekend = '(dayOfWeek(item.stay.checkIn) in [5, 6] || isHoliday(item.stay.checkIn + duration("24h")))';
const STAY = `now < order.paidAt + duration("24h") && daysUntil(item.stay.checkIn) >= 1 ? 0
  : pct(refundable, lookupStep(inRanges(item.stay.checkIn, peak)
      ? (${weekend} ? peakWeekend : peakWeekday) : (${weekend} ? offWeekend : offWeekday), daysUntil(item.stay.checkIn)))`;
const steps = (...rows: (readonly [days: number, value: number])[]) => rows.map(([days, value]) => ({ days, value }));
const tables: Tables = {
  peak: [
    { from: '07-15', to: '08-24' },
    { from: '12-20', to: '02-20' },
  ],
  peakWeekday: steps([10, 0], [7, 10], [5, 30], [3, 50], [0, 80]),
  peakWeekend: steps([10, 0], [7, 20], [5, 40], [3, 60], [0, 90]),
  offWeekday: steps([2, 0], [1, 10], [0, 20]),
  offWeekend: steps([2, 0], [1, 20], [0, 30]),
};
const scope: Scope = {
  now: Date.parse('2026-07-25T10:00:00+09:00'),
  enteredAt: Date.parse('2026-07-20T10:00:00+09:00'),
  holidays: new Set(['2026-08-17']),
  inputs: {},
  refundable: 100_000,
  claim: { quantity: 1, reason: 'CHANGE_OF_MIND' },
  item: {
    quantity: 1,
    activeQuantity: 1,
    unitPrice: 100_000,
    option: {},
    stay: { checkIn: '2026-07-31', checkOut: '2026-08-01', nights: 1 },
  },
  order: { paidAt: Date.parse('2026-07-20T10:00:00+09:00'), totalAmount: 100_000 },
};

/** Prints how often a second of a core does each. */
export function flowEngine(print: (text: string) => void): number {
  const compiled = compileExpressions(tables, {});
  const measured: readonly (readonly [what: string, work: () => void])[] = [
    ['the fee of a stay, evaluated', () => compiled.evaluate(STAY, scope)],
    ['the fee of a stay, read and checked with its graph', () => compileExpressions(tables, {}).check(STAY, 'int')],
  ];
  print(`\n${'on one core'.padEnd(56)} per second`);
  for (const [what, work] of measured) print(`${what.padEnd(56)} ${String(perSecond(work)).padStart(10)}`);
  return 0;
}
