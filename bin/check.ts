/** `npm run check`: format, lint, types, dead code, tests, guides, in this order; stops at the first that fails. */
import { spawnSync } from 'node:child_process';
import { printProgress } from './kernel/cli.ts';

for (const step of ['format:check', 'lint', 'types', 'dead', 'test', 'guides']) {
  printProgress(`— ${step}`);
  const { status } = spawnSync('npm', ['run', '--silent', step], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
