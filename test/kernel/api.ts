/** An API process of a test's own, beside the system under test: the same Postgres and Temporal, other settings. */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../../bin/kernel/paths.ts';
import { freePort } from '../../bin/dev/ports.ts';
import { underTest } from './world.ts';

export async function ownApi(env: Readonly<Record<string, string>>): Promise<{ readonly api: string; readonly stop: () => void }> {
  // Test files run side by side: each looks for a port from a place of its own, below those that the system gives to callers.
  const port = await freePort(27_000 + (process.pid % 500) * 8);
  const child = fork(join(root, 'api/main.ts'), [], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, ...underTest.env, PORT: String(port), ...env },
  });
  await new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`the API ended with ${code}`)));
  });
  return { api: `http://127.0.0.1:${port}`, stop: () => void child.kill() };
}

let addresses = 0;
/** An address that nobody else in this run has: what a trusted proxy says of its client. */
export const newAddress = (): string => {
  addresses++;
  return `10.${process.pid % 256}.${(addresses >> 8) % 256}.${addresses % 256}`;
};
