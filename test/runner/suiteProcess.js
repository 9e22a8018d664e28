import { fork } from 'node:child_process';
import { once } from 'node:events';

/** A process that has grown to so many bytes is followed by a new one. */
const MAX_RSS = 1_200_000_000;
/** A suite loads hundreds of modules: with V8's small young generation a fifth of its time is the garbage collector's. */
const EXEC_ARGV = ['--max-semi-space-size=32', '--import', new URL('hooks.ts', import.meta.url).href];

/** A Node process that runs suites one after the other (process.ts). */
export class SuiteProcess {
  #child = fork(new URL('process.ts', import.meta.url), { execArgv: EXEC_ARGV });
  /** It has grown too large for another suite. */
  isSpent = false;
  isEnded = false;

  /** Rejects where the suite could not be loaded, or the process ended in it. */
  async run(request) {
    const over = new AbortController();
    this.#child.send(request);
    try {
      return await Promise.race([this.#result(over), this.#exit(over)]);
    } finally {
      over.abort();
    }
  }
  async #result({ signal }) {
    const [{ rss, error, ...result }] = await once(this.#child, 'message', { signal });
    this.isSpent = rss > MAX_RSS;
    if (error) throw Object.assign(new Error(error.message), { stack: error.stack });
    return result;
  }
  async #exit({ signal }) {
    const [code, killedBy] = await once(this.#child, 'exit', { signal });
    this.isEnded = true;
    throw new Error(`The process of the suite ended: ${killedBy ?? code}.`);
  }

  /** What its suites have left open ends with it. */
  async end() {
    if (!this.isEnded) {
      const exit = once(this.#child, 'exit');
      this.#child.kill('SIGKILL');
      await exit;
    }
    this.isEnded = true;
  }
}
