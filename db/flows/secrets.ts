/** Connections to external services: an address and a header, whose value is sealed and never shown (F15). */
import { Fault } from '../../domain/kernel/errors.ts';
import type { Keyring, SealLocation } from '../kernel/keyring.ts';
import { offset, type PageRequest } from '../kernel/page.ts';
import type { Tx } from '../kernel/tx.ts';
import { type FlowSecret, FlowSecretEntity } from './entities.ts';

export const flowSecretLocation = (store: string, row: string): SealLocation => ({
  store,
  table: 'flow_secret',
  row,
  column: 'value_sealed',
});

export interface Connection {
  readonly url: string;
  readonly headerName: string;
  readonly headerValue: string;
}

export const findSecret = ({ em, storeId }: Tx, name: string): Promise<FlowSecret | null> =>
  em.findOne(FlowSecretEntity, { storeId, name });

/** By name. */
export const listSecrets = ({ em, storeId }: Tx, page: PageRequest): Promise<[FlowSecret[], number]> =>
  em.findAndCount(FlowSecretEntity, { storeId }, { orderBy: { name: 'asc' }, ...offset(page) });

/** Stores or replaces a connection as a whole; running orders use it from their next call on. */
export async function saveSecret(
  tx: Tx,
  keyring: Keyring,
  name: string,
  { url, headerName, headerValue }: Connection,
): Promise<FlowSecret> {
  const { em, storeId, at } = tx;
  const valueSealed = keyring.seal(headerValue, flowSecretLocation(storeId, name));
  return em.upsert(FlowSecretEntity, { storeId, name, url, headerName, valueSealed, updatedAt: new Date(at) });
}

/** FLOW_SECRET_NOT_FOUND. Nodes that name it are skipped from now on. */
export async function removeSecret({ em, storeId }: Tx, name: string): Promise<void> {
  if ((await em.nativeDelete(FlowSecretEntity, { storeId, name })) === 0) throw new Fault('FLOW_SECRET_NOT_FOUND');
}

/** A connection with its value, for the call alone: never to be logged or returned; null when there is none. */
export async function openSecret(tx: Tx, keyring: Keyring, name: string): Promise<Connection | null> {
  const found = await findSecret(tx, name);
  if (!found) return null;
  const { url, headerName, valueSealed } = found;
  return { url, headerName, headerValue: keyring.open(valueSealed, flowSecretLocation(tx.storeId, name)) };
}
