import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

/** Fills a folder beside its final place and moves it there in one step: a killed or parallel run leaves no half. */
export async function obtain(home: string, fill: (dir: string) => Promise<void>): Promise<void> {
  mkdirSync(dirname(home), { recursive: true });
  const draft = mkdtempSync(`${home}-draft-`);
  try {
    await fill(draft);
    if (!existsSync(home)) renameSync(draft, home);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
