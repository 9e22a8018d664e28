import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../bin/kernel/paths.ts';
import { underTest } from './world.ts';

/** `npm run support` against the system under test: parsed JSON with `--json`, else its text. */
export async function support(...args: readonly string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'bin/ops/support.ts'), ...args], {
    env: { ...process.env, DATABASE_URL: underTest.databaseUrl, TEMPORAL_ADDRESS: underTest.temporalAddress },
  });
  return args.includes('--json') ? (JSON.parse(stdout) as unknown) : stdout;
}
