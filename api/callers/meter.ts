/**
 * The windows of a minute that a request counts in, one within the other (X10): its token's; its principal's, because anybody with a
 * login or a client makes as many tokens as they like; its person's over all their clients; its store's. Each is a multiple of a token's,
 * so that one token leaves room for the others of its principal, and one person or client for the others of their store.
 */
import type { Context } from 'koa';
import type { Clock } from '../../db/kernel/clock.ts';
import { limitRefusals } from '../../db/kernel/metrics.ts';
import { Fault } from '../../domain/kernel/errors.ts';
import type { Proof } from './bearer.ts';
import { Windows } from '../web/windows.ts';

/** In multiples of `RATE_LIMIT_PER_MINUTE`. */
const OF_PRINCIPAL = 2;
const OF_PERSON = 5;
/** Of the management API, `/mcp` included. Buyers do not count for their store, or a full shop would lock out its seller. */
const OF_STORE = 10;
/** Of all members behind one address: accounts cost nothing. */
const OF_MEMBERS = 10;

/** One of the windows that a request counts in. */
export interface Level {
  readonly windows: Windows;
  readonly key: string;
  readonly max: number;
}
/** A person through a client, or a client by itself: `userId` is null. */
export interface Principal {
  readonly userId: string | null;
  readonly clientId: string;
}

const keyOf = ({ userId, clientId }: Principal): string => (userId === null ? `client/${clientId}` : `user/${userId}/${clientId}`);

/** Of a valid token; null: of a member of a shop. All API tokens that a person issued are one. */
function principalOf({ claims, apiToken }: Proof): Principal | null {
  if (apiToken) return { userId: apiToken.userId, clientId: 'apiTokens' };
  if (!claims || claims.use === 'member') return null;
  const person = claims.use === 'user' ? claims : claims.person;
  return { userId: person?.userId ?? null, clientId: claims.clientId };
}

/** Who sends with a valid token: its principal; of a member the customer, and as the second all members behind their address. */
export function sendersOf(proof: Proof, address: string): readonly [string, string?] {
  const principal = principalOf(proof);
  if (principal) return [keyOf(principal)];
  return [`customer/${proof.claims?.use === 'member' ? proof.claims.customerId : ''}`, `members/${address}`];
}

/** The windows of this process. */
export class Levels {
  readonly tokens = new Windows();
  readonly #addresses = new Windows();
  /** Apart from those of buyers, whose keys are many: theirs push out no seller's. */
  readonly #sellers = new Windows();
  readonly #buyers = new Windows();
  readonly #limit: number;
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Of whatever has no valid token. */
  address(address: string): Level {
    return { windows: this.#addresses, key: address, max: this.#limit };
  }
  store(storeId: string): Level {
    return this.#seller(`store/${storeId}`, OF_STORE);
  }
  principal({ userId, clientId }: Principal): readonly Level[] {
    if (userId === null) return [this.#seller(keyOf({ userId, clientId }), OF_PRINCIPAL)];
    return [this.#seller(keyOf({ userId, clientId }), OF_PRINCIPAL), this.#seller(`user/${userId}`, OF_PERSON)];
  }
  /** Of a valid token, but for its store: that is counted for whom it has let in (authenticate.ts). */
  token(key: string, proof: Proof, address: string): readonly Level[] {
    const token = { windows: this.tokens, key, max: this.#limit };
    const principal = principalOf(proof);
    if (principal) return [token, ...this.principal(principal)];
    const [customer, members] = sendersOf(proof, address);
    return [
      token,
      { windows: this.#buyers, key: customer, max: OF_PRINCIPAL * this.#limit },
      { windows: this.#buyers, key: members!, max: OF_MEMBERS * this.#limit },
    ];
  }
  #seller(key: string, times: number): Level {
    return { windows: this.#sellers, key, max: times * this.#limit };
  }
}

/** Of a window's end, as headers tell it. */
export const secondsOf = ({ endsInMs }: { readonly endsInMs: number }): string => String(Math.max(1, Math.ceil(endsInMs / 1000)));

/** TOO_MANY_REQUESTS, with `Retry-After`. */
export function refuse(ctx: Context, seconds: string): never {
  ctx.set('Retry-After', seconds);
  limitRefusals.inc({ limit: 'requests' });
  throw new Fault('TOO_MANY_REQUESTS');
}

/** Counts one request: `ctx.state.meter`. Each method: TOO_MANY_REQUESTS with `Retry-After` where a window is full. */
export class Meter {
  readonly #ctx: Context;
  readonly #all: Levels;
  readonly #clock: Clock;
  readonly #counted: Level[] = [];
  constructor(ctx: Context, all: Levels, clock: Clock) {
    this.#ctx = ctx;
    this.#all = all;
    this.#clock = clock;
  }

  /** Counts the request in these windows too, the narrowest first; what one refuses counts in no wider one. */
  add(...levels: readonly Level[]): void {
    this.#counted.push(...levels);
    this.#count(levels, 1);
  }
  /** Counts it for the store that has let its caller in, so that strangers who name a store fill nothing of it. */
  addStore(storeId: string): void {
    this.add(this.#all.store(storeId));
  }
  /** Counts it for whom it makes a token, once they have proved themselves. */
  addPrincipal(principal: Principal): void {
    this.add(...this.#all.principal(principal));
  }
  /** Counts `n` more requests, which one HTTP request carries. */
  more(n: number): void {
    this.#count(this.#counted, n);
  }

  #count(levels: readonly Level[], n: number): void {
    const now = this.#clock.now();
    const isOver = levels.some(({ windows, key, max }) => windows.add(key, now, n).count > max);
    const reset = this.#show(now);
    if (!isOver) return;
    refuse(this.#ctx, reset);
  }

  /** Shows the window with the fewest requests left, of several the one that ends last; returns its seconds. */
  #show(now: number): string {
    const shown = this.#counted
      .map(({ windows, key, max }) => {
        const { count, endsInMs } = windows.read(key, now);
        return { max, left: Math.max(0, max - count), endsInMs };
      })
      .reduce((tightest, one) =>
        one.left < tightest.left || (one.left === tightest.left && one.endsInMs > tightest.endsInMs) ? one : tightest,
      );
    const reset = secondsOf(shown);
    this.#ctx.set({ 'RateLimit-Limit': String(shown.max), 'RateLimit-Remaining': String(shown.left), 'RateLimit-Reset': reset });
    return reset;
  }
}

export const meterOf = ({ state }: Context): Meter => state['meter'] as Meter;
