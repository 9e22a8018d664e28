/** A system whose processes are killed at failpoints that a suite arms one by one, and purchases in it. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client as Postgres } from 'pg';
import { Buyer, pay } from '../../bin/dev/client.ts';
import { until as untilAtMost } from '../../bin/dev/until.ts';
import type { ProviderName } from '../../domain/payments/providers.ts';
import { answered } from './claimKills.ts';
import { atMostEvery, type Bench, bench } from './harness.ts';
import { settle, violations } from './invariants.ts';
import { noPromises } from './load.ts';

/** Longer than usual: a lost activity is noticed by its timeout. */
export const until: typeof untilAtMost = (what, holds) => untilAtMost(what, holds, 90_000);

/** What is left of deliveries and mails, which are tried again by the store's clock. Each advance wakes every open run. */
const WAITS_FOR_THE_CLOCK = /"(?:waiting|mailing)":[1-9]/;

export interface Started {
  readonly buyer: Buyer;
  readonly paymentId: string;
  readonly payUrl: string;
}

export class Killing {
  readonly under: Bench;
  readonly database: Postgres;
  /** The folder of FAILPOINTS_ARMED. */
  readonly armed: string;
  readonly promised = noPromises();
  readonly #advanceNowAndThen = atMostEvery(1500, () => this.advance());
  private constructor(under: Bench, database: Postgres, armed: string) {
    this.under = under;
    this.database = database;
    this.armed = armed;
  }
  static async open(): Promise<Killing> {
    const armed = mkdtempSync(join(tmpdir(), 'sangjeom-failpoints-'));
    const under = await bench({ FAILPOINTS_ARMED: armed });
    const database = new Postgres({ connectionString: under.system.databaseUrl });
    await database.connect();
    return new Killing(under, database, armed);
  }
  async close(): Promise<void> {
    await this.database.end();
    await this.under.close();
    rmSync(this.armed, { recursive: true });
  }

  /** Arms failpoints; what it returns ends when each has killed. */
  arm(names: readonly string[]): () => Promise<unknown> {
    const files = names.map((name) => join(this.armed, name));
    for (const file of files) writeFileSync(file, '');
    return () => until('every kill', async () => files.every((file) => !existsSync(file)));
  }

  async count(text: string, values: readonly unknown[]): Promise<number> {
    return (await this.database.query<{ n: number }>(`SELECT count(*)::int AS n ${text}`, [...values])).rows[0]!.n;
  }

  async started(pg: ProviderName = 'tosspayments', productId = this.under.productId): Promise<Started> {
    const buyer = await Buyer.arrive(this.under.system.api, 'faults');
    const { checkoutId } = (await buyer.checkout(productId)).body.data as { checkoutId: string };
    const start = await answered(() => buyer.start(checkoutId, { option: { pg, method: 'CARD' } }));
    const { paymentId, payUrl } = start.body.data as { paymentId: string; payUrl: string };
    return { buyer, paymentId, payUrl };
  }
  /** Pays and returns the order, even when the buyer's return is interrupted. */
  async paid({ buyer, paymentId, payUrl }: Started, card?: string): Promise<{ orderId: string; orderItemId: string }> {
    await pay(payUrl, card).catch(() => null);
    const isCompleted = async () => {
      const { data } = (await buyer.status(paymentId).catch(() => null))?.body ?? {};
      return data?.status === 'completed' ? (data.orderId as string) : null;
    };
    // As long as a workflow task of a worker that died, and the readings of a lost confirm, take on a busy machine.
    const orderId = await until('the payment completes', isCompleted);
    this.promised.orders.set(paymentId, orderId);
    const order = await answered(() => this.under.seller.call('GET', `/v1/orders/${orderId}`));
    return { orderId, orderItemId: order.body.data.items[0].orderItemId as string };
  }

  /** Failed deliveries are retried by the store's clock, which only this advances. */
  advance(): Promise<unknown> {
    return this.under.seller.call('POST', '/v1/sandbox/clock', { advance: 'PT3H' }).catch(() => null);
  }
  advanceNowAndThen(): Promise<void> {
    return this.#advanceNowAndThen();
  }
  /** Waits until nothing is in progress; unpaid payments have expired. */
  quiet(): Promise<unknown> {
    let left: string | null = '';
    return until('nothing is under way', async () => {
      if (left === '' || WAITS_FOR_THE_CLOCK.test(left!)) await this.advanceNowAndThen();
      left = await settle(this.under.system.databaseUrl, 1);
      return left === null;
    });
  }
  /** What was lost or repeated. */
  async violations(): Promise<readonly string[]> {
    await this.quiet();
    const { under, promised } = this;
    const seen = { delivered: under.delivered, invitations: under.inviting.answered, promised };
    return violations(under.system.databaseUrl, under.system.simulator, seen);
  }
}
