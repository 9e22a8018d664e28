/** Secrets of a development system: generated randomly, and stored in the data folder. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Login } from '../../db/kernel/connection.ts';
import type { Logins } from '../../db/roles.ts';

/** Database URLs of our processes: from the environment, or else with passwords that are generated once and stored in the data folder. */
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

/** A sealing key, generated once and stored in the data folder. */
export function developmentKeys(dataDir: string): string {
  const file = join(dataDir, 'sealing-keys');
  if (!existsSync(file)) writeFileSync(file, `dev:${randomBytes(32).toString('base64')}`, { mode: 0o600 });
  return readFileSync(file, 'utf8');
}
