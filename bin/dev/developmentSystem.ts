/** The description of a development system: addresses of its parts and their environment. Its starter writes it, other programs read it. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Logins } from '../../db/roles.ts';
import { root } from '../kernel/paths.ts';
import type { Ports } from './ports.ts';
import { developmentKeys } from './secrets.ts';

export interface DevelopmentSystem {
  readonly dataDir: string;
  readonly api: string;
  readonly simulator: string;
  readonly metrics: { readonly api: string; readonly worker: string };
  readonly temporalUi: string | null;
  readonly temporalAddress: string;
  readonly temporalNamespace: string;
  /** The URL of the database's owner. */
  readonly databaseUrl: string;
  /** The environment that API and worker run with; the owner's URL is not in it. */
  readonly env: Readonly<Record<string, string>>;
}
/** The content of `dev.json`, which people and other programs read too. */
interface Announced extends Pick<DevelopmentSystem, 'api' | 'simulator' | 'metrics' | 'temporalUi' | 'databaseUrl'> {
  readonly temporal: { readonly address: string; readonly namespace: string };
}

/** Where the development system keeps its data: DATA_DIR, or `.data` in the project. */
export const defaultDataDir = (): string => resolve(root, process.env['DATA_DIR'] ?? '.data');
const announcement = (dir: string) => join(dir, 'dev.json');
const environmentFile = (dir: string) => join(dir, 'env.json');

/** The system of a folder, by default that of this project; null where none was started. */
export function developmentSystem(dataDir = defaultDataDir()): DevelopmentSystem | null {
  const announced = readJson(announcement(dataDir)) as Announced | null;
  if (!announced) return null;
  const { temporal, ...paths } = announced;
  return {
    ...paths,
    dataDir,
    temporalAddress: temporal.address,
    temporalNamespace: temporal.namespace,
    // It contains secrets: only the user who started the system can read it.
    get env() {
      return (readJson(environmentFile(dataDir)) ?? {}) as DevelopmentSystem['env'];
    },
  };
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as unknown;
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return null;
    throw error;
  }
}

/** Writes the description of a system that is up; `more`: further fields of the starter. */
export function announce({ dataDir, env, ...system }: DevelopmentSystem, more: object): void {
  const { api, simulator, metrics, temporalUi, databaseUrl, temporalAddress: address, temporalNamespace: namespace } = system;
  const announced: Announced = { api, simulator, metrics, temporalUi, databaseUrl, temporal: { address, namespace } };
  const pages = { docs: `${api}/docs`, mail: `${simulator}/__sim/mail`, consoleClientId: 'console' };
  writeFileSync(environmentFile(dataDir), JSON.stringify(env), { mode: 0o600 });
  const file = announcement(dataDir);
  writeFileSync(`${file}.new`, `${JSON.stringify({ ...announced, ...pages, ...more }, null, 2)}\n`);
  renameSync(`${file}.new`, file);
}

/** Deletes the description of the system in this folder. */
export const unannounce = (dataDir: string): void => rmSync(announcement(dataDir), { force: true });

/** A system to start, as its starter describes it. */
export interface Wanted {
  readonly dataDir: string;
  /** The API's. */
  readonly port: number;
  /** More environment for API and worker. */
  readonly env?: Readonly<Record<string, string>>;
}
/** The facts that are known only at its start. */
interface Found {
  readonly ports: Ports;
  readonly databaseUrl: string;
  readonly logins: Logins;
  readonly temporal: { readonly address: string; readonly ui: string | null };
}

/** Temporal’s namespace for everything of ours. */
export const temporalNamespace = (): string => process.env['TEMPORAL_NAMESPACE'] ?? 'default';
const at = (port: number): string => `http://127.0.0.1:${port}`;

/** The description of a system from both. */
export function systemOf(wanted: Wanted, found: Found): DevelopmentSystem {
  const { ports, databaseUrl, temporal } = found;
  return {
    dataDir: wanted.dataDir,
    api: at(wanted.port),
    simulator: at(ports.simulator),
    metrics: { api: `${at(ports.apiMetrics)}/metrics`, worker: `${at(ports.metrics)}/metrics` },
    temporalUi: temporal.ui,
    temporalAddress: temporal.address,
    temporalNamespace: temporalNamespace(),
    databaseUrl,
    env: environment(wanted, found),
  };
}

/** The environment of API and worker: addresses, and development values in place of production's secrets. */
const environment = ({ dataDir, port, env }: Wanted, { ports, logins, temporal }: Found) => ({
  PORT: String(port),
  PUBLIC_URL: process.env['PUBLIC_URL'] ?? at(port),
  APP_DATABASE_URL: logins.appDatabaseUrl,
  RELAY_DATABASE_URL: logins.relayDatabaseUrl,
  TEMPORAL_ADDRESS: temporal.address,
  SEALING_KEYS: process.env['SEALING_KEYS'] ?? developmentKeys(dataDir),
  METRICS_PORT: String(ports.apiMetrics),
  WORKER_METRICS_PORT: String(ports.metrics),
  SIMULATOR_URL: at(ports.simulator),
  SIMULATOR_PORT: String(ports.simulator),
  IDP_URL: at(ports.idp),
  IDP_PORT: String(ports.idp),
  SMTP_URL: process.env['SMTP_URL'] ?? `smtp://127.0.0.1:${ports.smtp}`,
  SMTP_PORT: String(ports.smtp),
  SIMULATOR_FILE: join(dataDir, 'simulator.jsonl'),
  STORAGE_DIR: join(dataDir, 'uploads'),
  // A test driver on this machine can send requests for many client addresses.
  TRUSTED_PROXIES: process.env['TRUSTED_PROXIES'] ?? '127.0.0.1/32,::1/128',
  ALLOW_LOOPBACK_WEBHOOKS: process.env['ALLOW_LOOPBACK_WEBHOOKS'] ?? 'true',
  ...env,
});
