/** `npm run hooks` makes git run the checks in `bin/dev/hooks/` before each commit of this clone; `-- --remove` ends that. */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { root } from '../kernel/paths.ts';
import { printProgress, run, UserError } from '../kernel/cli.ts';

const FOLDER = 'bin/dev/hooks';
const git = (...args: readonly string[]) => spawnSync('git', args, { cwd: root, encoding: 'utf8' });

await run(async () => {
  const { values } = parseArgs({ options: { remove: { type: 'boolean', default: false } } });
  const known = git('config', 'core.hooksPath').stdout.trim();
  if (known !== '' && known !== FOLDER) throw new UserError(`git already runs hooks from ${known}: unset core.hooksPath first.`);
  const change = values.remove ? ['--unset', 'core.hooksPath'] : ['core.hooksPath', FOLDER];
  if (!values.remove || known !== '') {
    const { status, stderr } = git('config', ...change);
    if (status !== 0) throw new UserError(`git could not be configured: ${stderr.trim()}`);
  }
  printProgress(
    values.remove
      ? 'Commits are no longer checked.'
      : 'Each commit is checked first: format, lint, types, unit tests. `git commit --no-verify` skips it.',
  );
});
