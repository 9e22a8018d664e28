/** `npm run check`: format, lint, types, dead code, tests, in this order; stops at the first that fails. */
import { spawnSync } from 'node:child_process';
import { say } from './kernel/say.ts';

for (const step of ['format:check', 'lint', 'types', 'dead', 'test']) {
  say(`— ${step}`);
  const { status } = spawnSync('npm', ['run', '--silent', step], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
