/** For whom a process works now: who shares a store's turns with whom (shares.ts). */
import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * What one side of a store asks for takes no turn from the others: `SELLER`, whom the store has let in; `PUBLIC`, members, guests and
 * strangers alike, because accounts and sessions cost nothing; `VISITS`, what pages report of visits, for which nobody waits; `AUDIT`,
 * records of what was refused.
 */
export type Side = 'SELLER' | 'PUBLIC' | 'VISITS' | 'AUDIT';

export interface Requester {
  readonly side: Side;
  /** Within its side: a seller's principal, of the public the client's network. Senders come in turn. */
  readonly sender: string;
}
/** What a process does by itself. */
const OWN_WORK: Requester = { side: 'SELLER', sender: '' };

const requesters = new AsyncLocalStorage<Requester>();

/** Does the work for this requester: all that it awaits, too. */
export const workFor = <T>(requester: Requester, work: () => T): T => requesters.run(requester, work);
export const currentRequester = (): Requester => requesters.getStore() ?? OWN_WORK;
