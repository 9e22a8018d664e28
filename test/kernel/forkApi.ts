import { fork } from 'node:child_process';
import { join } from 'node:path';
import { freePort } from '../../bin/dev/ports.ts';
import { root } from '../../bin/kernel/paths.ts';

export interface Api {
  readonly url: string;
  readonly stop: () => void;
}

/** Starts an API process with this environment. `from`: the root of the code, this repository or a copy of it. */
export async function forkApi(env: Readonly<Record<string, string | undefined>>, firstPort: number, from = root): Promise<Api> {
  const port = await freePort(firstPort);
  const child = fork(join(from, 'api/main.ts'), [], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, PORT: String(port), ...env },
  });
  await new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`the API ended with ${code}`)));
  });
  return { url: `http://127.0.0.1:${port}`, stop: () => void child.kill() };
}

/**
 * Processes beside the first of the system under test, which all suites share: one for each environment, started when it is first wanted.
 * They are reached by their own URLs, and write the first one's into pages.
 */
export class SharedApis {
  readonly #env: Readonly<Record<string, string>>;
  readonly #apis = new Map<string, Promise<Api>>();
  /** They start one after the other: two at once would find the same port free. */
  #started: Promise<unknown> = Promise.resolve();
  /** `env`: the first one's. */
  constructor(env: Readonly<Record<string, string>>) {
    this.#env = env;
  }
  /** `changes`: what differs. */
  async urlOf(changes: Readonly<Record<string, string>>): Promise<string> {
    const key = JSON.stringify(changes);
    const { PORT: _, METRICS_PORT: _metrics, ...env } = this.#env;
    const api = this.#apis.get(key) ?? this.#started.then(() => forkApi({ ...env, ...changes }, 4900));
    this.#apis.set(key, api);
    this.#started = api.catch(() => null);
    return (await api).url;
  }
  stop(): void {
    for (const api of this.#apis.values()) void api.then(({ stop }) => stop());
  }
}
