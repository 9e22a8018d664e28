import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until `holds`, at most 20 seconds. */
export async function until<T>(what: string, holds: () => Promise<T | false | null | undefined>, ms = 20_000): Promise<T> {
  const end = Date.now() + ms;
  for (;;) {
    const found = await holds();
    if (found) return found;
    if (Date.now() > end) throw new Error(`never: ${what}`);
    await sleep(50);
  }
}
