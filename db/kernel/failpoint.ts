/**
 * Named places at which a test may kill the process: `FAILPOINTS=transition.before-commit=0.02` kills it there in
 * one of fifty passes. Nothing happens unless the variable is set.
 */
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

/** Kills the process here, like `kill -9`, with the chance that the environment gives this name. */
export function failpoint(name: Failpoint): void {
  const chance = armed.get(name);
  if (chance !== undefined && Math.random() < chance) process.kill(process.pid, 'SIGKILL');
}
