/** How busy this process and its machine are. */
import { cpus } from 'node:os';
import { performance } from 'node:perf_hooks';

/** Shares of the time from which stores begin to pause, and from which they pause in full. */
const BUSY_FROM = 0.4;
const BUSY_TO = 0.65;
/** Between two measurements, in milliseconds. */
const MEASURE_MS = 250;

export interface Load {
  /** 0: what one store does delays no other; 1: all of it does. */
  readonly pressure: number;
}

/** Milliseconds of all cores since the machine was started. */
function coreTimes(): { readonly busy: number; readonly all: number } {
  const times = cpus().map(({ times }) => times);
  const all = times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0);
  return { busy: all - times.reduce((sum, { idle }) => sum + idle, 0), all };
}

/** Of the machine's cores, or of this process's thread where that is the busier one: in a container the cores may be those of others. */
class MeasuredLoad implements Load {
  #measuredAt = -Infinity;
  #cores = coreTimes();
  #thread = performance.eventLoopUtilization();
  #pressure = 0;

  get pressure(): number {
    if (performance.now() - this.#measuredAt >= MEASURE_MS) this.#measure();
    return this.#pressure;
  }
  #measure(): void {
    const [cores, thread] = [coreTimes(), performance.eventLoopUtilization()];
    const ofCores = (cores.busy - this.#cores.busy) / Math.max(1, cores.all - this.#cores.all);
    const ofThread = performance.eventLoopUtilization(thread, this.#thread).utilization;
    this.#pressure = pressureAt(Math.max(ofCores, ofThread));
    this.#measuredAt = performance.now();
    [this.#cores, this.#thread] = [cores, thread];
  }
}

/** Of this share of busy time. */
export const pressureAt = (busy: number): number => Math.min(1, Math.max(0, (busy - BUSY_FROM) / (BUSY_TO - BUSY_FROM)));

export const measuredLoad: Load = new MeasuredLoad();
