/** Our system with Postgres and Temporal of its own, so that the processor time of each can be read. */
import type { System } from '../bin/dev/system.ts';
import { type TemporaryOptions, temporarySystem } from '../bin/dev/temporary.ts';
import { UserError } from '../bin/kernel/cli.ts';

export async function systemOfServers(
  name: string,
  options: Pick<TemporaryOptions, 'firstPort' | 'replicas' | 'onStarting'>,
): Promise<System> {
  const env = { RATE_LIMIT_PER_MINUTE: '10000000', LOG_LEVEL: 'warn' };
  const system = await temporarySystem(name, { ...options, durable: true, env });
  const isWhole = ['postgres', 'temporal'].every((server) => system.processes().some(({ name }) => name === server));
  if (isWhole) return system;
  await system.stop();
  throw new UserError('This reads processes of one machine: unset DATABASE_URL and TEMPORAL_ADDRESS.');
}
