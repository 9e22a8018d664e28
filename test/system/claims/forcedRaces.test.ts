/**
 * Each race of claims, with the loser chosen: one winner, and the loser is refused by what the winner has done (issue 19, point 4).
 * A command to a claim is held on its way to Temporal, after the API has found nothing against it; what is about an item waits for its row.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { Buyer, type Reply, Seller } from '../../../bin/dev/client.ts';
import { ownApi } from '../../kernel/api.ts';
import { type SilentProxy, silentProxy } from '../../kernel/proxy.ts';
import { query, underTest, until } from '../../kernel/world.ts';
import { type Bought, ClaimShop, codeOf, dataOf, type Fields, MIND, type Stage } from './shop.ts';

let proxy: SilentProxy;
let delayed: Awaited<ReturnType<typeof ownApi>>;
let shop: ClaimShop;
beforeAll(async () => {
  const { TEMPORAL_ADDRESS: temporal } = underTest.env as { readonly TEMPORAL_ADDRESS: string };
  proxy = await silentProxy(`http://${temporal}`);
  const address = new URL(proxy.through(`http://${temporal}`)).host;
  [delayed, shop] = await Promise.all([ownApi({ TEMPORAL_ADDRESS: address, PUBLIC_URL: underTest.api }), ClaimShop.open()]);
}, 120_000);
afterAll(() => {
  delayed.stop();
  proxy.close();
});

const REJECTION = { reason: 'OTHER', explanation: '이미 포장을 마쳤습니다' };
const HOLD = { reason: '확인 중입니다' };
const pathOf = { approve: 'approve', reject: 'reject', release: 'release', hold: 'hold', withdraw: 'withdraw' } as const;
type Command = keyof typeof pathOf;
const BODIES: Readonly<Record<Command, Fields>> = { approve: {}, reject: REJECTION, release: {}, hold: HOLD, withdraw: {} };

/** Sends a command to one of the APIs. */
const send = (base: string, claimId: string, name: Command): Promise<Reply> =>
  name === 'withdraw'
    ? new Buyer(base, shop.member.headers).call('POST', `/storefront/v1/me/claims/${claimId}/withdraw`, {})
    : new Seller(base, shop.world.seller.bearer).call('POST', `/v1/claims/${claimId}/${pathOf[name]}`, BODIES[name]);

/** Sends `late`, which passes the API's checks, has `first` happen, and lets `late` go on: its answer. */
async function overtaken(claimId: string, late: Command, first: () => Promise<unknown>): Promise<readonly [number, string]> {
  const { held, release } = proxy.holdAt(`"name":"${late}"`, `"name":"${late}"`);
  const sent = send(delayed.api, claimId, late);
  await Promise.race([held, sent.then((reply) => Promise.reject(new Error(`refused early: ${codeOf(reply).join(' ')}`)))]);
  await first();
  release();
  return codeOf(await sent);
}

interface Books {
  readonly claim: string;
  readonly item: string;
  readonly history: readonly string[];
  readonly refunds: readonly number[];
  readonly stock: number;
}
async function booksOf({ orderId, orderItemId, variantId }: Bought, claimId: string): Promise<Books> {
  const [claim, item] = [await shop.claim(claimId), await shop.item(orderItemId)];
  return {
    claim: claim.status as string,
    item: item.status as string,
    history: (claim.history as { name: string; by: string }[]).map(({ name, by }) => `${name} ${by}`),
    refunds: (await shop.refunds(orderId)).map(({ won }) => won),
    stock: await shop.stock(variantId),
  };
}
const REQUEST = 'request BUYER';
const approved = { claim: 'COMPLETED', item: 'CANCELED', refunds: [13_000], stock: 100 };
const notApproved = { item: 'CONFIRMED', refunds: [], stock: 99 };
const [OK, LOST, LATE] = [
  [200, 'OK'],
  [409, 'CONCURRENT_UPDATE'],
  [409, 'INVALID_STATUS'],
] as const;

interface Forced {
  readonly late: Command;
  readonly first: Command;
  /** The claim is held before. */
  readonly isHeld?: boolean;
  readonly answer: readonly [number, string];
  readonly books: Books;
}
const REFUNDED = ['approve SELLER'];
const COMMANDS: readonly Forced[] = [
  { late: 'approve', first: 'withdraw', answer: LOST, books: { ...notApproved, claim: 'WITHDRAWN', history: ['withdraw BUYER'] } },
  { late: 'withdraw', first: 'approve', answer: LATE, books: { ...approved, history: REFUNDED } },
  { late: 'approve', first: 'reject', answer: LOST, books: { ...notApproved, claim: 'REJECTED', history: ['reject SELLER'] } },
  { late: 'reject', first: 'approve', answer: LATE, books: { ...approved, history: REFUNDED } },
  { late: 'approve', first: 'approve', answer: LOST, books: { ...approved, history: REFUNDED } },
  { late: 'reject', first: 'withdraw', answer: LATE, books: { ...notApproved, claim: 'WITHDRAWN', history: ['withdraw BUYER'] } },
  { late: 'withdraw', first: 'reject', answer: LATE, books: { ...notApproved, claim: 'REJECTED', history: ['reject SELLER'] } },
  // A held claim is handled as if it were not: these are no races but an order of two steps.
  { late: 'approve', first: 'hold', answer: OK, books: { ...approved, history: ['hold SELLER', ...REFUNDED] } },
  { late: 'approve', first: 'release', isHeld: true, answer: OK, books: { ...approved, history: ['release SELLER', ...REFUNDED] } },
  { late: 'release', first: 'approve', isHeld: true, answer: LATE, books: { ...approved, history: REFUNDED } },
  { late: 'hold', first: 'approve', answer: LATE, books: { ...approved, history: REFUNDED } },
];

describe('a command that is overtaken:', () => {
  const requested = async (isHeld = false) => {
    const bought = await shop.buy('CONFIRMED');
    const claimId = await shop.filed(bought.orderItemId, { type: 'CANCEL' });
    if (isHeld) await shop.acted(claimId, 'hold', HOLD);
    return { bought, claimId, before: isHeld ? [REQUEST, 'hold SELLER'] : [REQUEST] };
  };
  test.each(COMMANDS.map((forced) => [`${forced.late} by ${forced.first}`, forced] as const))('%s', async (_, forced) => {
    const { late, first, isHeld, answer, books } = forced;
    const { bought, claimId, before } = await requested(isHeld);
    expect(await overtaken(claimId, late, async () => dataOf(await send(underTest.api, claimId, first)))).toEqual(answer);
    expect(await booksOf(bought, claimId)).toEqual({ ...books, history: [...before, ...books.history] });
  });
  test('approve by the end of the hold, which comes first', async () => {
    const { bought, claimId, before } = await requested(true);
    expect(await overtaken(claimId, 'approve', () => shop.world.advance('P8D'))).toEqual(OK);
    expect(await booksOf(bought, claimId)).toEqual({ ...approved, history: [...before, 'release SYSTEM', ...REFUNDED] });
  });
  test('the end of the hold by approve: nothing is released any more', async () => {
    const { bought, claimId, before } = await requested(true);
    await shop.acted(claimId, 'approve');
    await shop.world.advance('P8D');
    expect(await booksOf(bought, claimId)).toEqual({ ...approved, history: [...before, ...REFUNDED] });
  });
  test('approve of a return by reject, which takes the restocked units out again', async () => {
    const bought = await shop.buy('DELIVERED');
    const claimId = await shop.collected(bought.orderItemId, { type: 'RETURN' });
    expect(await shop.stock(bought.variantId)).toBe(100);
    expect(await overtaken(claimId, 'approve', async () => dataOf(await send(underTest.api, claimId, 'reject')))).toEqual(LOST);
    expect(await booksOf(bought, claimId)).toMatchObject({ claim: 'REJECTED', item: 'DELIVERED', refunds: [], stock: 99 });
  });
  test('reject of a return by approve', async () => {
    const bought = await shop.buy('DELIVERED');
    const claimId = await shop.collected(bought.orderItemId, { type: 'RETURN' });
    expect(await overtaken(claimId, 'reject', async () => dataOf(await send(underTest.api, claimId, 'approve')))).toEqual(LATE);
    expect(await booksOf(bought, claimId)).toMatchObject({ claim: 'COMPLETED', item: 'RETURNED', refunds: [10_000], stock: 100 });
  });
});

/** A wait for the row must end before the lock timeout of transitions, one second. */
const MAX_WAIT_MS = 700;
/** How long the first one has waited for a row that `pid` holds, and whether the second waits behind it. */
const waitsBehind = (pid: number) =>
  query<{ ms: number; second: boolean }>(
    `SELECT 1000 * extract(epoch FROM clock_timestamp() - first.query_start)::float AS ms,
       EXISTS (SELECT 1 FROM pg_stat_activity second WHERE first.pid = ANY (pg_blocking_pids(second.pid))) AS second
     FROM pg_stat_activity first WHERE $1 = ANY (pg_blocking_pids(first.pid))`,
    [pid],
  );

/** Two requests that wait for the item's row, in this order: their answers. Null: the machine was too slow to line them up. */
async function linedUp(orderItemId: string, first: () => Promise<Reply>, second: () => Promise<Reply>): Promise<string[] | null> {
  const holder = new Client({ connectionString: underTest.databaseUrl });
  await holder.connect();
  try {
    const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const { pid } = rows[0]!;
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM order_item WHERE order_item_id = $1 FOR UPDATE', [orderItemId]);
    const sent = [first()];
    const isWaiting = await until('the first waits', async () => (await waitsBehind(pid)).length > 0, 5000).catch(() => false);
    sent.push(second());
    const areWaiting =
      isWaiting && (await until('both wait', async () => (await waitsBehind(pid))[0]?.second === true, 900).catch(() => false));
    const [wait] = await waitsBehind(pid);
    await holder.query('COMMIT');
    const codes = (await Promise.all(sent)).map((reply) => codeOf(reply)[1]);
    return areWaiting && wait?.second === true && wait.ms < MAX_WAIT_MS ? codes : null;
  } finally {
    await holder.end();
  }
}

interface Rival {
  readonly stage: Stage;
  readonly type: 'CANCEL' | 'RETURN';
  readonly send: (orderItemId: string) => Promise<Reply>;
  /** The item afterwards: where it came first, and where the claim did. */
  readonly item: readonly [rival: string, claim: string];
  /** What the claim is answered behind it. */
  readonly answer: string;
}
const act = (name: string, body: Fields) => (id: string) => shop.world.act(id, name, body);
const RIVALS: Readonly<Record<string, Rival>> = {
  dispatch: {
    stage: 'CONFIRMED',
    type: 'CANCEL',
    send: act('dispatch', { deliveryMethod: 'NONE' }),
    item: ['DISPATCHED', 'CONFIRMED'],
    answer: 'INVALID_STATUS',
  },
  'the buyer’s decision': {
    stage: 'DELIVERED',
    type: 'RETURN',
    send: (id) => shop.member.call('POST', `/storefront/v1/me/order-items/${id}/decide`, {}),
    item: ['PURCHASE_DECIDED', 'DELIVERED'],
    answer: 'INVALID_STATUS',
  },
  delivery: { stage: 'DISPATCHED', type: 'RETURN', send: act('delivered', {}), item: ['DELIVERED', 'DISPATCHED'], answer: 'OK' },
  'the seller’s cancel': {
    stage: 'CONFIRMED',
    type: 'CANCEL',
    send: act('cancel', { reason: 'OTHER' }),
    item: ['CANCELED', 'CONFIRMED'],
    answer: 'INVALID_STATUS',
  },
};

describe('a claim and', () => {
  async function race({ stage, type, send: rival }: Rival, isClaimFirst: boolean) {
    for (let i = 0; i < 10; i++) {
      const bought = await shop.buy(stage);
      const { orderItemId: id } = bought;
      const both = [() => shop.file(id, { type, ...MIND }), () => rival(id)] as const;
      const [first, second] = isClaimFirst ? both : ([both[1], both[0]] as const);
      const codes = await linedUp(id, first, second);
      if (!codes) continue;
      const item = await shop.item(id);
      return { codes, item: item.status as string, claims: item.claims.length as number, bought };
    }
    throw new Error('never lined up');
  }
  test.each(Object.entries(RIVALS))('%s: whichever has the item first', async (_, rival) => {
    const { bought: won, ...claimed } = await race(rival, true);
    expect(claimed).toEqual({ codes: ['OK', 'CLAIM_IN_PROGRESS'], item: rival.item[1], claims: 1 });
    expect(await shop.refunds(won.orderId)).toEqual([]);
    const { bought: lost, ...refused } = await race(rival, false);
    expect(refused).toEqual({ codes: ['OK', rival.answer], item: rival.item[0], claims: rival.answer === 'OK' ? 1 : 0 });
    const isCanceled = rival.item[0] === 'CANCELED';
    expect((await shop.refunds(lost.orderId)).map(({ won: amount }) => amount)).toEqual(isCanceled ? [13_000] : []);
  });
  test('another claim of the same item: CLAIM_IN_PROGRESS', async () => {
    const second: Rival = { ...RIVALS['dispatch']!, send: (id) => shop.file(id, { type: 'CANCEL', ...MIND, quantity: 1 }) };
    const { codes, claims } = await race(second, true);
    expect([codes, claims]).toEqual([['OK', 'CLAIM_IN_PROGRESS'], 1]);
  });
});
