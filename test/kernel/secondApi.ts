import { type Api, forkApi } from './forkApi.ts';
import { callStoreService, underTest } from './world.ts';

/** Another API process of the system under test, which all suites share. `env`: what differs, which decides what process it is. */
export const sharedApi = (env: Readonly<Record<string, string>> = {}): Promise<string> => callStoreService('api', env);

/**
 * Another API process of the system under test. It is reached by its own URL, and writes the first one's into pages. `env`: what differs;
 * an undefined variable is unset.
 */
export const secondApi = (firstPort: number, env: Readonly<Record<string, string | undefined>>): Promise<Api> => {
  const { PORT: _, ...first } = underTest.env;
  return forkApi({ ...first, PUBLIC_URL: underTest.api, ...env }, firstPort);
};

/** How many requests a minute the process of `limitedApi` allows each caller. */
export const LIMIT = 5;
/** A process that allows few requests. What it has counted of a caller stays: each test has callers of its own. */
export const limitedApi = (): Promise<string> => sharedApi({ RATE_LIMIT_PER_MINUTE: String(LIMIT) });
