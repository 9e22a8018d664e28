import { fork } from 'node:child_process';
import { join } from 'node:path';
import { freePort } from '../../bin/dev/ports.ts';
import { root } from '../../bin/kernel/paths.ts';
import { underTest } from './world.ts';

export interface SecondApi {
  readonly url: string;
  readonly stop: () => void;
}

/**
 * Another API process of the system under test. It is reached by its own URL, and writes the first one's into pages. `env`: what differs;
 * an undefined variable is unset.
 */
export async function secondApi(firstPort = 4900, env: Readonly<Record<string, string | undefined>> = {}): Promise<SecondApi> {
  const port = await freePort(firstPort);
  const child = fork(join(root, 'api/main.ts'), [], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, ...underTest.env, PORT: String(port), PUBLIC_URL: underTest.api, ...env },
  });
  await new Promise((resolve) => child.once('message', resolve));
  return { url: `http://127.0.0.1:${port}`, stop: () => void child.kill() };
}
