/** Linux schedules each thread by a priority of its own. */
import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

/** The calling thread yields the processor to the others of this machine. Elsewhere than on Linux it stays as it is. */
export function yieldProcessor(): void {
  if (process.platform !== 'linux') return;
  const [, thread] = /\/task\/(\d+)$/.exec(readlinkSync('/proc/thread-self')) ?? [];
  if (thread !== undefined) setPriority(Number(thread), constants.priority.PRIORITY_BELOW_NORMAL);
}
