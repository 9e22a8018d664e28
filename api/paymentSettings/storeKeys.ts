import { storeCredentials } from '../../db/paymentSettings/commands.ts';
import type { Tx } from '../../db/kernel/tx.ts';
import type { Credentials } from '../../domain/payments/providers.ts';
import type { ApiDeps } from '../declare/deps.ts';
import type { Caller } from '../declare/caller.ts';
import { readProvider } from './subject.ts';

interface Call extends Pick<Caller, 'person'> {
  readonly tx: Tx;
  readonly deps: ApiDeps;
}
/** Stores a credential set under the name of the person who sent it, and answers the provider. */
export async function storeKeys({ tx, deps, person }: Call, set: Credentials, expectedVersion: number | undefined) {
  const [named] = await tx.sql<{ name: string | null }>`SELECT actor_name('USER', ${person!.userId}) AS name`;
  await storeCredentials(tx, deps.keyring, { set, byName: named?.name ?? null, expectedVersion });
  await tx.em.flush();
  return readProvider(tx, set.provider, deps.config.publicUrl);
}
