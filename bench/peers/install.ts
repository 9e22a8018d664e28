/** Packages of other systems: installed into `.data/peers/` when they are compared, and by nothing else. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { UserError, withProgress } from '../../bin/kernel/cli.ts';
import { root } from '../../bin/kernel/paths.ts';

const HOME = join(root, '.data/peers');
export const logOf = (name: string): string => join(HOME, `${name}.log`);

/** Copies the project's files beside its packages, installs these once for each version of its package.json, and returns the folder. */
export async function install(name: string): Promise<string> {
  const folder = join(HOME, name);
  mkdirSync(folder, { recursive: true });
  cpSync(join(root, 'bench/peers', name), folder, { recursive: true });
  const stamp = join(folder, '.installed');
  const wanted = createHash('sha256')
    .update(readFileSync(join(folder, 'package.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return folder;
  const flags = ['--omit=dev', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts', '--loglevel=error'];
  await withProgress(`Installing ${name} into ${folder}, a minute or two`, execute(name, 'npm', ['install', ...flags], { cwd: folder }));
  writeFileSync(stamp, wanted);
  return folder;
}

/** Runs a program to its end, or to that of this process; what it prints goes to the project's log. */
export async function execute(name: string, program: string, args: readonly string[], options: { cwd: string; env?: NodeJS.ProcessEnv }) {
  const log = openSync(logOf(name), 'a');
  const child = spawn(program, args, { ...options, stdio: ['ignore', log, log] });
  const kill = () => child.kill();
  process.once('exit', kill);
  const [code] = (await once(child, 'exit')) as [number | null];
  process.off('exit', kill);
  if (code !== 0) throw new UserError(`${name}: \`${args.slice(0, 2).join(' ')}\` ended with code ${code}: see ${logOf(name)}.`);
}
