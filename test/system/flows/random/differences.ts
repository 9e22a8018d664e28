/** Where a run and its simulation differ. */
import { isDeepStrictEqual } from 'node:util';
import type { FlowState } from '../../../../domain/flows/run/state.ts';
import type { Rehearsal } from './rehearsal.ts';

export interface Difference {
  readonly what: string;
  readonly ran: unknown;
  readonly simulated: unknown;
}

/** What these say, and everything below them, are times. */
const TIMES: ReadonlySet<string> = new Set(['at', 'enteredAt', 'left', 'answeredAt', 'slowedUntil', 'until', 'moves', 'firedAtEntry']);
/** With each time that is later than the simulated one by at most `waited` set to that one. */
function aligned(ran: unknown, simulated: unknown, waited: number, isTime = false): unknown {
  if (typeof ran === 'number' && typeof simulated === 'number')
    return isTime && ran >= simulated && ran - simulated <= waited ? simulated : ran;
  if (typeof ran !== 'object' || ran === null || typeof simulated !== 'object' || simulated === null) return ran;
  if (Array.isArray(ran)) return ran.map((one, i) => aligned(one, (simulated as unknown[])[i], waited, isTime));
  const theirs = simulated as Readonly<Record<string, unknown>>;
  return Object.fromEntries(Object.entries(ran).map(([key, own]) => [key, aligned(own, theirs[key], waited, isTime || TIMES.has(key))]));
}

/** The first thing that differs; null: nothing does. Times are equal, but for what the flow has waited until then. */
export function differenceOf({ ran, simulated, waited }: Rehearsal): Difference | null {
  const compare = (what: string, own: unknown, theirs: unknown, wait = 0): Difference[] =>
    isDeepStrictEqual(aligned(own, theirs, wait), theirs) ? [] : [{ what, ran: own, simulated: theirs }];
  const { length } = ran.records;
  const records = Array.from({ length: Math.max(length, simulated.records.length) }, (_, i) =>
    compare(`record ${i + 1}`, ran.records[i], simulated.records[i], waited[Math.min(i, length - 1)]),
  );
  const outcomes = ran.outcomes.map((outcome, i) => compare(`outcome ${i + 1}`, outcome, simulated.outcomes[i]));
  const ends = (['jobs', 'state', 'isOver'] as const).map((what) => compare(what, ran[what], simulated[what], waited.at(-1)));
  return [...records, ...outcomes, ...ends].flat()[0] ?? null;
}

/**
 * Two things happen so near to each other that their order depends on how long an external service took, or on the moment of a refusal: two
 * answers, deadlines of several positions, or a deadline and what somebody did.
 */
export function isRacing({ answers, times, waited: all }: Rehearsal): boolean {
  const waited = all.at(-1)!;
  const happenings = answers.flatMap((answer) => answer.happenings);
  const elapsed = happenings.filter(({ event }) => event.type === 'elapsed');
  if (elapsed.some(({ at }) => times.some(({ from, until }) => at >= from - waited && at <= until + waited))) return true;
  return waited > 0 && happenings.some(({ state }) => isTight(state, waited));
}
function isTight({ positions }: FlowState, waited: number): boolean {
  const due = positions.flatMap(({ id, due: own }) => own.flatMap(({ at }) => (at === null ? [] : [{ id, at }])));
  const areNear = due.some((a) => due.some((b) => a !== b && Math.abs(a.at - b.at) <= waited && (a.id !== b.id || a.at !== b.at)));
  return areNear || positions.filter(({ call }) => call !== undefined).length > 1;
}
