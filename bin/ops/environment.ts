import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataDir } from '../kernel/paths.ts';
import { Remedy } from '../kernel/say.ts';

/** A file of the development system here, or nothing where none was started. */
function written<T extends object>(name: string): Partial<T> {
  try {
    return JSON.parse(readFileSync(join(dataDir(), name), 'utf8')) as T;
  } catch {
    return {};
  }
}
const needed = (value: string | undefined, names: string): string => {
  if (!value) throw new Remedy(`Start the system with \`npm start\` first, or set ${names}.`);
  return value;
};

/** What a running system was started with: our own environment first, else that of the development system here. */
export function systemEnv(): (name: string) => string {
  const started = written<Record<string, string>>('env.json');
  return (name) => needed(process.env[name] ?? started[name], name);
}

/** The URL of the database's owner, for the operator's commands: DATABASE_URL, else that of the development system here. */
export const ownerUrl = (): string =>
  needed(process.env['DATABASE_URL'] ?? written<{ databaseUrl: string }>('dev.json').databaseUrl, 'DATABASE_URL');

/** Where Temporal is. */
export function temporalPlace(): { readonly address: string; readonly namespace: string } {
  const started = written<{ temporal: { address: string; namespace: string } }>('dev.json').temporal;
  return {
    address: needed(process.env['TEMPORAL_ADDRESS'] ?? started?.address, 'TEMPORAL_ADDRESS'),
    namespace: process.env['TEMPORAL_NAMESPACE'] ?? started?.namespace ?? 'default',
  };
}
