/** `npm test`: the whole suite; arguments go to Jest. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './kernel/paths.ts';

const jest = spawnSync(
  process.execPath,
  // A suite loads hundreds of modules: with V8's small young generation a fifth of its time is the garbage collector's.
  ['--experimental-vm-modules', '--max-semi-space-size=32', join(root, 'node_modules/jest/bin/jest.js'), ...process.argv.slice(2)],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  },
);
process.exit(jest.status ?? 1);
