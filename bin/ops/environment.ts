/** Where an operator's command works: as the environment says, else at the development system here. */
import { developmentSystem } from '../dev/developmentSystem.ts';
import { Remedy } from '../kernel/say.ts';

const needed = (value: string | undefined, names: string): string => {
  if (!value) throw new Remedy(`Start the system with \`npm start\` first, or set ${names}.`);
  return value;
};

/** What API and worker run with. */
export const systemEnv = (name: string): string => needed(process.env[name] ?? developmentSystem()?.env[name], name);

/** The URL of the database's owner. */
export const ownerUrl = (): string => needed(process.env['DATABASE_URL'] ?? developmentSystem()?.databaseUrl, 'DATABASE_URL');

/** Where Temporal is. */
export function temporalPlace(): { readonly address: string; readonly namespace: string } {
  const system = developmentSystem();
  return {
    address: needed(process.env['TEMPORAL_ADDRESS'] ?? system?.temporalAddress, 'TEMPORAL_ADDRESS'),
    namespace: process.env['TEMPORAL_NAMESPACE'] ?? system?.temporalNamespace ?? 'default',
  };
}
