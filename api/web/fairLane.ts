/**
 * Turns for work that strangers ask for: so many at once in this process, of which a store and a client address have their shares. Whoever
 * waits does so in the line of their address, then in that of their store; addresses and stores come in turn. So neither one address nor
 * one store, with however many requests, has another's refused, and delays it by no more than its own turn.
 */
import { Turns } from '../../db/kernel/turns.ts';

export interface Stranger {
  readonly address: string;
  /** What names the store in the request, which nobody has looked up yet. */
  readonly store: string;
  readonly gone: AbortSignal;
}
interface Bounds {
  readonly slots: number;
  readonly ofStore: number;
  /** That have their address's turn and wait for their store's. */
  readonly storeLine: number;
  /** Under way or in their store's line. */
  readonly ofAddress: number;
  readonly addressLine: number;
  /** Waiting, of all. */
  readonly waiting: number;
  /** Real milliseconds in each of both lines. */
  readonly waitMs: number;
  /** Addresses that leave a full line of a store for others. */
  readonly yields?: (address: string) => boolean;
}

export class FairLane {
  readonly #addresses: Turns;
  readonly #stores: Turns;

  constructor(name: string, { slots, ofStore, storeLine, ofAddress, addressLine, waiting, waitMs, yields }: Bounds) {
    this.#addresses = new Turns({ name, slots: Infinity, ofStore: ofAddress, line: addressLine, waiting, waitMs });
    this.#stores = new Turns({ name, slots, ofStore, line: storeLine, waiting, waitMs, ...(yields && { yields }) });
  }

  /**
   * An address has turns of its own, as a store has. TOO_MANY_REQUESTS where a line is full or the turn does not come in time; the reason
   * of `gone` for who has hung up.
   */
  async run<T>({ address, store, gone }: Stranger, work: () => Promise<T>): Promise<T> {
    const leaveAddress = await this.#addresses.take({ storeId: address, side: 'PUBLIC', sender: address, gone });
    try {
      const leaveStore = await this.#stores.take({ storeId: store.slice(0, 64), side: 'PUBLIC', sender: address, gone });
      try {
        return await work();
      } finally {
        leaveStore();
      }
    } finally {
      leaveAddress();
    }
  }
}
