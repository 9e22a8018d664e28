/** Pages that lead through a change: a block of code below the path of its file is a file to create, or a change to make in one. */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../../bin/kernel/paths.ts';

export interface Step {
  readonly file: string;
  readonly language: string;
  readonly text: string;
}

/** The steps of a page, in its order. */
export function stepsOf(page: string): readonly Step[] {
  const blocks = page.matchAll(/(?:^`([\w./-]+)`\n\n)?^```(\w+)\n([\s\S]*?)^```$/gm);
  // Shell commands are not steps.
  return [...blocks]
    .filter(([, , language]) => language !== 'sh')
    .map(([, file = '', language = '', text = '']) => ({ file, language, text }));
}

/** What a file has after a step; `before`: what it has, null where there is none. Throws where the step does not fit. */
export function textAfter(before: string | null, { file, language, text }: Step): string {
  if (language !== 'diff') {
    if (before !== null) throw new Error(`${file} is there already`);
    return text;
  }
  const lines = text.split('\n').slice(0, -1);
  const without = (mark: '+' | '-') =>
    lines
      .filter((line) => !line.startsWith(mark))
      .map((line) => `${line.slice(1)}\n`)
      .join('');
  const [head, tail, ...more] = (before ?? '').split(without('+'));
  if (tail === undefined || more.length > 0) throw new Error(`${file} does not have once what is changed in it:\n${without('+')}`);
  return head! + without('-') + tail;
}

/** A copy of the repository in a temporary folder, with a link to its packages. */
export class Copy {
  readonly dir: string;
  private constructor(dir: string) {
    this.dir = dir;
  }
  static make(): Copy {
    const dir = mkdtempSync(join(tmpdir(), 'sangjeom-page-'));
    // Without .git, .data and the like.
    const isSource = (from: string) => !/^(?:\.[^/.]+|node_modules)$/.test(relative(root, from));
    cpSync(root, dir, { recursive: true, filter: isSource });
    symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
    return new Copy(dir);
  }
  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }

  apply(step: Step): void {
    const path = join(this.dir, step.file);
    const text = textAfter(existsSync(path) ? readFileSync(path, 'utf8') : null, step);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** Runs a command of its packages; throws with its output. */
  async run(command: string, args: readonly string[], env: Readonly<Record<string, string | undefined>> = {}): Promise<void> {
    const options = { cwd: this.dir, env: { ...process.env, ...env } };
    await promisify(execFile)(join(this.dir, 'node_modules/.bin', command), [...args], options).catch(
      (error: { stdout?: string; stderr?: string }) => {
        throw new Error(`${command} ${args.join(' ')}\n${error.stdout}${error.stderr}`, { cause: error });
      },
    );
  }
}
