/**
 * A hostile store's clients, in a process of their own that yields the processor: those of the real world have processors of their own, and
 * one process that is hostile and measures would measure itself.
 */
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { Seller } from '../../bin/dev/client.ts';
import { type Hostile, WAYS, type WayName } from './ways.ts';

export interface Assignment extends Omit<Hostile, 'seller' | 'signal'> {
  readonly way: WayName;
  readonly bearer: string;
}
/** Whether the system lets it do what it prepares. */
export interface Prepared {
  readonly isAllowed: boolean;
}

setPriority(19);
const [{ way, bearer, ...store }] = (await once(process, 'message')) as [Assignment];
const ending = new AbortController();
const load = await WAYS[way]({ ...store, seller: new Seller(store.api, bearer), signal: ending.signal });
process.send!({ isAllowed: load !== null } satisfies Prepared);
if (load) {
  void once(process, 'message').then(() => ending.abort());
  await load().catch(() => {});
}
process.disconnect();
