/** A system for the length of one command: in a folder of its own, which goes with it. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './ports.ts';
import { startSystem, type System } from './system.ts';

export interface TemporaryOptions {
  /** Where it begins to look for ports. */
  readonly firstPort: number;
  readonly durable: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** Its folder stays when it has stopped. */
  readonly keepsData?: boolean;
}

export async function temporarySystem(name: string, { firstPort, keepsData = false, ...options }: TemporaryOptions): Promise<System> {
  const dir = mkdtempSync(join(tmpdir(), `sangjeom-${name}-`));
  // Postgres runs as a user of its own when we are root, and must get to its folder.
  chmodSync(dir, 0o755);
  const system = await startSystem({ ...options, dataDir: join(dir, 'data'), port: await freePort(firstPort), fresh: true });
  const stop = async () => {
    await system.stop();
    if (!keepsData) rmSync(dir, { recursive: true, force: true });
  };
  return { ...system, stop };
}
