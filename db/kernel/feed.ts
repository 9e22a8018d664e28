/**
 * What a transaction changes in its store's feeds. It is written by one statement, the last one before the commit, which takes the feed's
 * row and holds it until then. So times and numbers grow in the order of commits, a reader that continues after the last entry it has seen
 * misses nothing (D70), and no transaction waits for another one's work, only for its commit.
 */
import { dateOf, koreanOf } from '../../domain/kernel/time.ts';
import type { Sql } from './sql.ts';

/** An event: its raw body, as receivers get it, and its business time. */
export interface EmittedEvent {
  readonly eventId: string;
  readonly type: string;
  readonly body: string;
  readonly createdAt: Date;
}
/** The idempotency key under which a reply is stored. */
interface ReplyKey {
  readonly principal: string;
  readonly key: string;
}

/** What is answered of a changed row. */
interface Dated {
  lastChangedAt: string;
}

/** Collects a transaction's changes until its commit. */
export class FeedChanges {
  #at: number | null = null;
  readonly #orders = new Set<string>();
  readonly #items = new Set<string>();
  readonly #claims = new Set<string>();
  readonly #answers: Dated[] = [];
  readonly #events: EmittedEvent[] = [];
  #reply: ReplyKey | null = null;

  /** An order and items of it change at the business time `at`. Their rows are written with that time, which is the earliest possible. */
  changed(at: number, orderId: string, itemIds: readonly string[]): void {
    this.#at = Math.max(this.#at ?? at, at);
    this.#orders.add(orderId);
    for (const id of itemIds) this.#items.add(id);
  }
  /** A claim changes, and with it its order (`changed`). */
  changedClaim(claimId: string): void {
    this.#claims.add(claimId);
  }
  /** An answer about what changes, which will tell the final time. A stored reply does by itself. */
  answered(answer: Dated): void {
    this.#answers.push(answer);
  }
  emitted(event: EmittedEvent): void {
    this.#events.push(event);
  }
  /** A reply has been stored under this key: where it tells `lastChangedAt`, it will tell the final one. */
  replied({ principal, key }: ReplyKey): void {
    this.#reply = { principal, key };
  }

  /**
   * To be called last, when everything else is written, and once: numbers the events, and moves the time of rows and reply where it has to
   * grow.
   */
  async write(sql: Sql, storeId: string): Promise<void> {
    if (this.#at === null && this.#events.length === 0) return;
    const at = dateOf(this.#at);
    const [orders, items, events] = [[...this.#orders], [...this.#items], JSON.stringify(this.#events.splice(0))];
    const { principal = null, key = null } = this.#reply ?? {};
    this.#at = null;
    if (this.#claims.size === 0 && this.#answers.length === 0) {
      await sql`SELECT write_feed(${storeId}, ${at}, ${orders}, ${items}, ${events}, ${principal}, ${key})`;
      return;
    }
    const [written] = await sql<{ at: Date | string }>`
      SELECT write_claim_feed(${storeId}, ${at}, ${orders}, ${items}, ${[...this.#claims]}, ${events}, ${principal}, ${key}) AS at`;
    const lastChangedAt = koreanOf(written!.at, 'milliseconds');
    for (const answer of this.#answers) Object.assign(answer, { lastChangedAt });
  }
}
