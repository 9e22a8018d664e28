/** The system that an operator's command works on: that of the environment, else the development system of this folder. */
import { developmentSystem } from '../dev/developmentSystem.ts';
import { UserError } from '../kernel/cli.ts';

const needed = (value: string | undefined, names: string): string => {
  if (!value) throw new UserError(`Start the system with \`npm start\` first, or set ${names}.`);
  return value;
};

/** A variable of the environment of API and worker. */
export const systemEnv = (name: string): string => needed(process.env[name] ?? developmentSystem()?.env[name], name);

/**
 * The sealing keys of a system whose payment provider is the simulator; null for any other. Where the database is named by the environment,
 * so is the rest of the system.
 */
export function simulatorKeys(): string | null {
  if (process.env['NODE_ENV'] === 'production') return null;
  const { SIMULATOR_URL: simulator, SEALING_KEYS: keys } = process.env['DATABASE_URL'] ? process.env : (developmentSystem()?.env ?? {});
  return simulator && keys ? keys : null;
}

/** The URL of the database's owner. */
export const ownerUrl = (): string => needed(process.env['DATABASE_URL'] ?? developmentSystem()?.databaseUrl, 'DATABASE_URL');

/** Temporal's address and namespace. */
export function temporalAddress(): { readonly address: string; readonly namespace: string } {
  const system = developmentSystem();
  return {
    address: needed(process.env['TEMPORAL_ADDRESS'] ?? system?.temporalAddress, 'TEMPORAL_ADDRESS'),
    namespace: process.env['TEMPORAL_NAMESPACE'] ?? system?.temporalNamespace ?? 'default',
  };
}
