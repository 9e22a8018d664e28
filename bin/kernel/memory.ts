/** Memory flags of API and worker: without them V8 does not return memory, and a worker grows beyond half a gigabyte (measured). */
import { readFileSync } from 'node:fs';

interface Memory {
  /** Flags of Node for each process. */
  readonly flags: readonly string[];
  readonly workerEnvironment: Readonly<Record<string, string>>;
}
/** A JSON file, so that bin/bootstrap.mjs can read it under any Node version; a test compares it with the image's commands. */
export const memory = JSON.parse(readFileSync(new URL('./memory.json', import.meta.url), 'utf8')) as Memory;
