/** A system for the duration of one command, in a temporary folder that is deleted at its end. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './ports.ts';
import { startSystem, type System, type SystemOptions } from './system.ts';

export interface TemporaryOptions extends Pick<SystemOptions, 'replicas' | 'onStarting'> {
  /** The first port to try. */
  readonly firstPort: number;
  readonly durable: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** Keep the folder at the end. */
  readonly retainsData?: boolean;
  readonly beforeProcesses?: Promise<unknown>;
}

export async function temporarySystem(name: string, { firstPort, retainsData = false, ...options }: TemporaryOptions): Promise<System> {
  const dir = mkdtempSync(join(tmpdir(), `sangjeom-${name}-`));
  // When we are root, Postgres runs as another user, who needs access to the folder.
  chmodSync(dir, 0o755);
  const thenRemove = (stop: () => Promise<void>) => async () => {
    await stop();
    if (!retainsData) rmSync(dir, { recursive: true, force: true });
  };
  const onStarting = (stop: () => Promise<void>) => options.onStarting?.(thenRemove(stop));
  const port = await freePort(firstPort);
  const system = await startSystem({ ...options, dataDir: join(dir, 'data'), port, fresh: true, onStarting });
  return { ...system, stop: thenRemove(system.stop) };
}
