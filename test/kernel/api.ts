import { forkApi } from './forkApi.ts';
import { underTest } from './world.ts';

/** An API process for one test, with the Postgres and Temporal of the system under test and other settings. `from`: as in `forkApi`. */
export async function ownApi(
  env: Readonly<Record<string, string>>,
  from?: string,
): Promise<{ readonly api: string; readonly stop: () => void }> {
  const { PORT: _, ...first } = underTest.env;
  // Test files run concurrently: each searches from another port, below the system's ephemeral ports.
  const { url, stop } = await forkApi({ ...first, ...env }, 27_000 + (process.pid % 500) * 8, from);
  return { api: url, stop };
}

let addresses = 0;
/** A unique client address, as a trusted proxy forwards it. */
export const newAddress = (): string => {
  addresses++;
  return `10.${process.pid % 256}.${(addresses >> 8) % 256}.${addresses % 256}`;
};
