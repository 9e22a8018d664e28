/** What bounds the memory of API and worker: else V8 keeps what it once needed, and a worker grows past half a gigabyte (measured). */
import { readFileSync } from 'node:fs';

interface Memory {
  /** Of Node, for each process. */
  readonly flags: readonly string[];
  readonly workerEnvironment: Readonly<Record<string, string>>;
}
/** In a file that bin/bootstrap.mjs can read too, whatever Node runs it; a test compares the image's commands with it. */
export const memory = JSON.parse(readFileSync(new URL('./memory.json', import.meta.url), 'utf8')) as Memory;
