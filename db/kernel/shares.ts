/**
 * A store's share of a process's connections to Postgres: a transaction waits for its store's turn before it takes one. So what one store
 * does, however much and however slow, delays no other beyond a fair share, and takes no connection from it; nor does what one side of a
 * store asks for delay the other, or one sender another. Reads and changes wait in lines of their own: changes that wait for each other's
 * locks keep nobody from reading.
 */
import type { MikroORM } from '@mikro-orm/postgresql';
import { RecentStores } from './recentStores.ts';
import type { Side } from './requester.ts';
import { NO_STORE } from './tenancy.ts';
import { type Turn, Turns } from './turns.ts';

export type Kind = 'read' | 'change';

/** Of each kind, for each side of a store. */
type BySide = Readonly<Record<Kind, Readonly<Record<Side, number>>>>;
/**
 * At once, while other stores have transactions too: a short one is over in a few milliseconds. Changes may wait for locks meanwhile,
 * those of one member for each other: up to three of them keep no other change of their side waiting.
 */
const AMONG_OTHERS = {
  read: { SELLER: 2, PUBLIC: 2, VISITS: 1, AUDIT: 1 },
  change: { SELLER: 4, PUBLIC: 4, VISITS: 1, AUDIT: 1 },
} as const satisfies BySide;
const ALONE = {
  read: { SELLER: 6, PUBLIC: 6, VISITS: 2, AUDIT: 1 },
  change: { SELLER: 8, PUBLIC: 8, VISITS: 2, AUDIT: 1 },
} as const satisfies BySide;
/** While no other store has had one for so long, in milliseconds. */
const RECENT_MS = 1000;
/** Of the connections. */
const PARTS = { read: 0.4, change: 0.6 } as const satisfies Readonly<Record<Kind, number>>;
/**
 * The longest pause of a side after a transaction, among others. A buyer's change may have waited for locks most of its time, which cost
 * nobody anything: a hundred buyers of one thing are not to wait twice.
 */
const MAX_PAUSE_MS = {
  read: { SELLER: 250, PUBLIC: 250, VISITS: 250, AUDIT: 0 },
  change: { SELLER: 250, PUBLIC: 100, VISITS: 250, AUDIT: 0 },
} as const satisfies BySide;
/** Of what belongs to no store: logins, and what persons do across their stores. */
const WITHOUT_STORE = 4;
/** Waiting transactions of a side of a store and of all, of each kind, and for how long, in real milliseconds; then TOO_MANY_REQUESTS. */
const LINE = 200;
const WAITING = 10_000;
const WAIT_MS = 5000;

export class Shares {
  readonly #stores = new RecentStores(RECENT_MS);
  readonly #turns: Readonly<Record<Kind, Turns>>;

  /** `connections`: of the pool. */
  constructor(connections: number) {
    const ofStore =
      (kind: Kind) =>
      ({ storeId, side }: Turn) =>
        storeId === NO_STORE ? WITHOUT_STORE : (this.#stores.areMany ? AMONG_OTHERS : ALONE)[kind][side];
    const turns = (kind: Kind) =>
      new Turns({
        name: `transactions_${kind}`,
        slots: Math.floor(connections * PARTS[kind]),
        ofStore: ofStore(kind),
        line: LINE,
        waiting: WAITING,
        waitMs: WAIT_MS,
        pauseMs: ({ storeId, side }, tookMs, atOnce) =>
          storeId === NO_STORE ? 0 : this.#stores.pauseMs(tookMs, atOnce, MAX_PAUSE_MS[kind][side]),
      });
    this.#turns = { read: turns('read'), change: turns('change') };
  }

  /** Resolves with what ends the turn. TOO_MANY_REQUESTS; the reason of `gone` for who has hung up. */
  take(kind: Kind, turn: Turn): Promise<() => void> {
    if (turn.storeId !== NO_STORE) this.#stores.note(turn.storeId);
    return this.#turns[kind].take(turn);
  }
}

const byPool = new WeakMap<MikroORM, Shares>();
/** From now on stores share this pool. */
export const shareConnections = (orm: MikroORM, connections: number): void => void byPool.set(orm, new Shares(connections));
/** Undefined: its transactions wait for nothing but a connection. */
export const sharesOf = (orm: MikroORM): Shares | undefined => byPool.get(orm);
