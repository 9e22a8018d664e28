/** What development has instead of production's secrets: made at random, and kept beside the data that they guard. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Login } from '../../db/kernel/connection.ts';
import type { Logins } from '../../db/roles.ts';
import type { Ports } from './ports.ts';

/** Where our processes log in: as they are told, else with passwords of this folder's own, made once and kept beside the data. */
export function developmentLogins(dataDir: string, databaseUrl: string): Logins {
  const file = join(dataDir, 'passwords.json');
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Partial<Record<Login, string>>) : {};
  const passwords = { sangjeom_app: randomBytes(24).toString('hex'), sangjeom_relay: randomBytes(24).toString('hex'), ...known };
  writeFileSync(file, JSON.stringify(passwords), { mode: 0o600 });
  const url = (role: Login) => {
    const login = new URL(databaseUrl);
    [login.username, login.password] = [role, passwords[role]];
    return login.href;
  };
  return {
    appDatabaseUrl: process.env['APP_DATABASE_URL'] ?? url('sangjeom_app'),
    relayDatabaseUrl: process.env['RELAY_DATABASE_URL'] ?? url('sangjeom_relay'),
  };
}

/** A sealing key of this folder's own: made once, kept beside the data that it seals. */
function developmentKeys(dataDir: string): string {
  const file = join(dataDir, 'sealing-keys');
  if (!existsSync(file)) writeFileSync(file, `dev:${randomBytes(32).toString('base64')}`, { mode: 0o600 });
  return readFileSync(file, 'utf8');
}

interface Places {
  readonly dataDir: string;
  readonly port: number;
  readonly ports: Ports;
  readonly logins: Logins;
  readonly temporalAddress: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** What API and worker are started with: where the others are, and what development has instead of production's secrets. */
export const environment = ({ dataDir, port, env, ports, logins, temporalAddress }: Places) => ({
  PORT: String(port),
  PUBLIC_URL: process.env['PUBLIC_URL'] ?? `http://127.0.0.1:${port}`,
  APP_DATABASE_URL: logins.appDatabaseUrl,
  RELAY_DATABASE_URL: logins.relayDatabaseUrl,
  TEMPORAL_ADDRESS: temporalAddress,
  SEALING_KEYS: process.env['SEALING_KEYS'] ?? developmentKeys(dataDir),
  METRICS_PORT: String(ports.apiMetrics),
  WORKER_METRICS_PORT: String(ports.metrics),
  SIMULATOR_URL: `http://127.0.0.1:${ports.simulator}`,
  SIMULATOR_PORT: String(ports.simulator),
  IDP_URL: `http://127.0.0.1:${ports.idp}`,
  IDP_PORT: String(ports.idp),
  SMTP_URL: process.env['SMTP_URL'] ?? `smtp://127.0.0.1:${ports.smtp}`,
  SMTP_PORT: String(ports.smtp),
  SIMULATOR_FILE: join(dataDir, 'simulator.jsonl'),
  STORAGE_DIR: join(dataDir, 'uploads'),
  // So that a driver on this machine can speak for many addresses.
  TRUSTED_PROXIES: process.env['TRUSTED_PROXIES'] ?? '127.0.0.1/32,::1/128',
  ALLOW_LOOPBACK_WEBHOOKS: process.env['ALLOW_LOOPBACK_WEBHOOKS'] ?? 'true',
  ...env,
});
