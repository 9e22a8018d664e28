import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

/** True when nothing listens on the port of the loopback interface. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

/** Ports that browsers and Node's fetch refuse: the "bad ports" of the Fetch standard above 1023. */
const UNCALLABLE: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080,
]);

/** The wanted port, or the next free one above it that fetch may call. */
export async function freePort(wanted: number): Promise<number> {
  for (let port = wanted; port < wanted + 200; port++) if (!UNCALLABLE.has(port) && (await isFree(port))) return port;
  throw new Error(`No free port between ${wanted} and ${wanted + 200}.`);
}

/** The ports of one system. */
export interface Ports {
  readonly postgres: number;
  readonly temporal: number;
  readonly temporalUi: number;
  readonly simulator: number;
  /** The worker's metrics. */
  readonly metrics: number;
  readonly apiMetrics: number;
  readonly idp: number;
  readonly smtp: number;
}

/** The ports of the folder's previous start if they are free, else the next free ones, so that two systems can run side by side. */
export async function choosePorts(dataDir: string, port: number): Promise<Ports> {
  const file = join(dataDir, 'ports.json');
  const before = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Partial<Ports>) : {};
  const free = (name: keyof Ports, first: number) => freePort(before[name] ?? first);
  // The search starts at an offset that depends on the API's port, so that two systems starting at once do not choose the same ports.
  const shift = Math.abs(port - 3000) % 20_000;
  const temporal = await free('temporal', 7233 + shift);
  const simulator = await free('simulator', port + 1);
  const metrics = await free('metrics', simulator + 1);
  const idp = await free('idp', metrics + 1);
  const smtp = await free('smtp', idp + 1);
  const ports: Ports = {
    postgres: await free('postgres', 5433 + shift),
    temporal,
    temporalUi: await free('temporalUi', temporal + 1000),
    simulator,
    metrics,
    idp,
    smtp,
    apiMetrics: await free('apiMetrics', smtp + 1),
  };
  writeFileSync(file, JSON.stringify(ports));
  return ports;
}
