/** Closed-loop load, and what it costs in processor time. */
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Figures, load, processorMs } from './measure.ts';

export interface Cost extends Figures {
  /** From the first request to the last answer. */
  readonly seconds: number;
  /** Milliseconds of a core for each order or call, by process. */
  readonly coreMs: Readonly<Record<string, number>>;
  /** Cores in use from the first request to the last answer, on average: by each process, and by all programs of the machine. */
  readonly cores: { readonly by: Readonly<Record<string, number>>; readonly machine: number };
}
type Processes = () => readonly { readonly name: string; readonly pid: number }[];

/** Processor time is read until a second after the last answer: what an order leaves to be done is part of it, and so is that second. */
export async function loadWithCost(
  processes: Processes,
  name: string,
  callers: number,
  count: number,
  work: (i: number) => Promise<unknown>,
): Promise<Cost> {
  const read = () => ({
    at: performance.now(),
    machine: machineMs(),
    by: processes().map(({ name, pid }) => ({ name, ms: processorMs(pid) })),
  });
  await sleep(1000);
  const before = read();
  const since = (now: ReturnType<typeof read>, unit: number, digits: number) =>
    Object.fromEntries(
      now.by.map(({ name, ms }) => [name, round((ms - (before.by.find((one) => one.name === name)?.ms ?? 0)) / unit, digits)]),
    );
  const figures = await load(name, callers, count, work);
  const atEnd = read();
  await sleep(1000);
  const wallMs = atEnd.at - before.at;
  return {
    ...figures,
    seconds: round(wallMs / 1000, 2),
    coreMs: since(read(), count, 1),
    cores: { by: since(atEnd, wallMs, 2), machine: round((atEnd.machine - before.machine) / wallMs, 2) },
  };
}

/** What all programs of this machine have used of its cores; time that it gave to other machines is not in it. */
const machineMs = (): number => cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
const round = (value: number, digits: number): number => Math.round(value * 10 ** digits) / 10 ** digits;
