/** Closed-loop load, percentiles, and processor time and memory of processes. */
import { readFileSync } from 'node:fs';

export interface Figures {
  readonly name: string;
  readonly callers: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** Runs `work` `count` times with `callers` concurrent callers; each starts the next when its previous one has ended. */
export async function load(name: string, callers: number, count: number, work: (i: number) => Promise<unknown>): Promise<Figures> {
  const times: number[] = [];
  let next = 0;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (next < count) {
        const i = next++;
        const at = performance.now();
        await work(i);
        times.push(performance.now() - at);
      }
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  return {
    name,
    callers,
    perSecond: round(count / seconds),
    p50: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    p99: percentile(times, 0.99),
  };
}
const round = (value: number) => Math.round(value * 10) / 10;
export const percentile = (times: readonly number[], p: number): number => {
  const sorted = times.toSorted((a, b) => a - b);
  return round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? 0);
};

/** Processor milliseconds that a process and its children have used, those that have ended among them. */
export function processorMs(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  return ticks(pid, [11, 12, 13, 14]) * 10 + children.reduce((sum, one) => sum + ticks(one, [11, 12]) * 10, 0);
}
/** Fields of its `stat`, from its state on: 11 and 12 are its own user and system time, 13 and 14 those of children that it waited for. */
function ticks(pid: number, wanted: readonly number[]): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return wanted.reduce((sum, field) => sum + Number(fields[field]), 0);
  } catch {
    return 0;
  }
}

/** Resident memory in MB. */
export const memoryMb = (pid: number): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024);
