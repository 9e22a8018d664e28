import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until `holds`, at most 20 seconds. What takes long is looked at less often: a busy machine is not kept busy by those who wait. */
export async function until<T>(what: string, holds: () => Promise<T | false | null | undefined>, ms = 20_000): Promise<T> {
  const end = Date.now() + ms;
  for (let pause = 25; ; pause = Math.min(pause * 1.5, 250)) {
    const found = await holds();
    if (found) return found;
    if (Date.now() > end) throw new Error(`never: ${what}`);
    await sleep(pause);
  }
}
