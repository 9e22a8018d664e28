/**
 * Named places at which a test may kill the process: `FAILPOINTS=transition.before-commit=0.02` kills it there in
 * one of fifty passes. With `FAILPOINTS_ONCE`, a folder, each kills once and
 * leaves its name there. Nothing happens unless the variable is set.
 */
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';

export const FAILPOINTS = [
  'transition.before-commit',
  'transition.after-commit',
  'request.before-commit',
  'request.after-commit',
  'relay.after-start',
  'provider.after-answer',
  'webhook.before-send',
  'webhook.after-send',
] as const;
type Failpoint = (typeof FAILPOINTS)[number];

const armed = new Map(
  (process.env['FAILPOINTS'] ?? '')
    .split(',')
    .filter(Boolean)
    .map((entry) => {
      const [name = '', chance = '1'] = entry.split('=');
      return [name, Number(chance)] as const;
    }),
);

const once = process.env['FAILPOINTS_ONCE'];

/** Kills the process here, like `kill -9`, with the chance that the environment gives this name. */
export function failpoint(name: Failpoint): void {
  const chance = armed.get(name);
  if (chance !== undefined && Math.random() < chance && (once === undefined || isFirst(join(once, name))))
    process.kill(process.pid, 'SIGKILL');
}

function isFirst(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx'));
    return true;
  } catch {
    return false;
  }
}
