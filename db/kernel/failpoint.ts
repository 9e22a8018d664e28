/**
 * Failpoints: named points at which a drill kills the process with SIGKILL. Without these variables nothing happens:
 * - `FAILPOINTS=transition.before-commit=0.02` kills there with a probability of 2 %;
 * - `FAILPOINTS_ARMED=<folder>` kills at each failpoint whose name is a file there, and removes the file, so that it kills once. A file
 *   `transition.before-commit@clm_1.approve` or `request.after-commit@flows.migrate` kills there only when that is what passes it.
 */
import { unlinkSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

export const FAILPOINTS = [
  'transition.before-commit',
  'transition.after-commit',
  'request.before-commit',
  'request.after-commit',
  'relay.after-start',
  'provider.after-answer',
  'execution.after-answer',
  'expiry.before-commit',
  'visits.before-commit',
  'webhook.before-send',
  'webhook.after-send',
  'external.before-send',
  'external.after-send',
] as const;
export type Failpoint = (typeof FAILPOINTS)[number];

const chances = new Map(
  (process.env['FAILPOINTS'] ?? '')
    .split(',')
    .filter(Boolean)
    .map((entry) => {
      const [name = '', chance = '1'] = entry.split('=');
      return [name, Number(chance)] as const;
    }),
);

const armedFolder = process.env['FAILPOINTS_ARMED'] ?? '';

/** Kills the process with SIGKILL if FAILPOINTS or FAILPOINTS_ARMED says so for this name. `what`: what passes it. */
export function failpoint(name: Failpoint, what = ''): void {
  const chance = chances.get(name);
  const isDue = (chance !== undefined && Math.random() < chance) || isArmed(name) || (what !== '' && isArmed(`${name}@${what}`));
  if (isDue) process.kill(process.pid, 'SIGKILL');
}

/** Removing the file decides which of two processes is the one. */
function isArmed(file: string): boolean {
  if (!isAbsolute(armedFolder)) return false;
  try {
    unlinkSync(join(armedFolder, file));
    return true;
  } catch {
    return false;
  }
}
