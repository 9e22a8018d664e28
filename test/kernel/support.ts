import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../bin/kernel/paths.ts';
import { answerOf } from '../../bin/ops/support/commands.ts';
import { underTest } from './world.ts';

const parsed = (args: readonly string[], text: string): unknown => (args.includes('--json') ? (JSON.parse(text) as unknown) : text);

/** What a support command answers about the system under test, in this process: parsed JSON with `--json`, else its text. */
export async function support(...args: readonly string[]): Promise<unknown> {
  const { databaseUrl, temporalAddress: address, temporalNamespace: namespace } = underTest;
  return parsed(args, await answerOf(args, () => ({ databaseUrl, temporal: { address, namespace } })));
}

/** The same by `npm run support`, a process of its own. */
export async function supportCommand(...args: readonly string[]): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'bin/ops/support.ts'), ...args], {
    env: { ...process.env, DATABASE_URL: underTest.databaseUrl, TEMPORAL_ADDRESS: underTest.temporalAddress },
  });
  return parsed(args, stdout);
}
