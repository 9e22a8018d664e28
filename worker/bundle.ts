import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';

const root = fileURLToPath(new URL('..', import.meta.url));
const cache = join(root, 'node_modules/.cache/sangjeom');

/** The workflow bundle of worker, replays and tests; cached by a hash of `workflows/`, `domain/` and the lockfile. */
export async function workflowBundle(): Promise<{ code: string }> {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  hash.update(readFileSync(import.meta.filename));
  for (const file of globSync('{domain,workflows}/**/*.ts', { cwd: root }).toSorted())
    hash.update(file).update(readFileSync(join(root, file)));
  const path = join(cache, `workflows-${hash.digest('hex').slice(0, 16)}.js`);
  if (existsSync(path)) return { code: readFileSync(path, 'utf8') };
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(root, 'workflows/index.ts'),
    workflowInterceptorModules: [join(root, 'workflows/kernel/tracing.ts')],
    logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} },
  });
  mkdirSync(cache, { recursive: true });
  writeFileSync(`${path}.${process.pid}`, code);
  renameSync(`${path}.${process.pid}`, path);
  return { code };
}
