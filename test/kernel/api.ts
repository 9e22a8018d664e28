/** A separate API process for one test, with the Postgres and Temporal of the system under test and other settings. */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../../bin/kernel/paths.ts';
import { freePort } from '../../bin/dev/ports.ts';
import { underTest } from './world.ts';

export async function ownApi(
  env: Readonly<Record<string, string>>,
  /** The root of the code: this repository, or a copy of it. */
  from = root,
): Promise<{ readonly api: string; readonly stop: () => void }> {
  // Test files run concurrently: each searches from another port, below the system's ephemeral ports.
  const port = await freePort(27_000 + (process.pid % 500) * 8);
  const child = fork(join(from, 'api/main.ts'), [], {
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
/** A unique client address, as a trusted proxy forwards it. */
export const newAddress = (): string => {
  addresses++;
  return `10.${process.pid % 256}.${(addresses >> 8) % 256}.${addresses % 256}`;
};
