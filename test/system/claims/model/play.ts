/** Plays a sequence: each step is predicted by the reference, sent to an API, and followed by a reading of the books. */
import { call, type Reply } from '../../../../bin/dev/client.ts';
import { query, underTest, until } from '../../../kernel/world.ts';
import { type Books, readBooks, unmarked, violations } from './books.ts';
import { choose, Dice } from './choose.ts';
import { type Bought, buy, type Lane, send } from './counter.ts';
import { apply } from './reference.ts';
import type { Action, Expected, Shop } from './state.ts';

export interface Sequence {
  readonly order: readonly number[];
  /** Of each step the dice, and how many further ones are done at the same moment. */
  readonly steps: readonly { readonly dice: readonly number[]; readonly also: number }[];
}

/** Fails with all steps so far and what is wrong. */
export async function play(lane: Lane, apis: readonly string[], { order, steps }: Sequence): Promise<{ actions: number; races: number }> {
  const story: string[] = [];
  const bought = await buy(lane, new Dice(order));
  const { orderId, optionIds } = bought;
  let { shop } = bought;
  const read = () => readBooks(lane.shop.store.storeId, orderId, optionIds);
  const fail = (problems: readonly string[]) => {
    if (problems.length === 0) return;
    throw new Error(`${orderId}\n${JSON.stringify(bought.shop)}\n${story.join('\n')}\n${problems.join('\n')}`);
  };
  let books = await read();
  const counted = { actions: 0, races: 0 };
  for (const { dice: numbers, also } of steps) {
    const dice = new Dice(numbers);
    const actions = actionsOf(shop, dice, also);
    const here = { ...bought, shop };
    const replies = await carryOut(lane, here, actions, apis, dice.roll(2));
    for (const [i, action] of actions.entries()) story.push(`${i > 0 ? '  with ' : ''}${JSON.stringify(action)} → ${shown(replies[i]!)}`);
    const outcome = explained(shop, actions, replies);
    if ('problems' in outcome) fail(outcome.problems);
    const next = await read();
    fail([...violations(next), ...unmarked(books, next)]);
    shop = theOne('shops' in outcome ? outcome.shops : [], next, fail);
    books = next;
    counted.actions += actions.length;
    counted.races += actions.length > 1 ? 1 : 0;
  }
  fail(await ledger(bought, shop, read));
  fail(await events(lane, bought, await read()));
  return counted;
}

/** The clock of the store moves by itself only: everything else may happen at the same moment, most of it about the same line. */
function actionsOf(shop: Shop, dice: Dice, also: number): readonly Action[] {
  const index = dice.roll(shop.lines.length);
  const first = choose(shop, dice, index);
  if (first.do === 'advance') return [first];
  const others = Array.from({ length: also }, () => choose(shop, dice, dice.chance(70) ? index : dice.roll(shop.lines.length)));
  return [first, ...others.filter((action) => action.do !== 'advance')];
}

async function carryOut(lane: Lane, bought: Bought, actions: readonly Action[], apis: readonly string[], first: number): Promise<Reply[]> {
  const only = actions[0]!;
  if (only.do !== 'advance') return Promise.all(actions.map((action, i) => send(lane, bought, action, apis[(first + i) % apis.length]!)));
  await lane.shop.advance(`P${only.days}D`);
  return [{ status: 200, headers: new Headers(), body: { data: {}, error: null } } as unknown as Reply];
}

const SHOWN = ['claimId', 'refundId', 'status', 'refundAmount', 'pointRefundAmount'];
const shown = ({ status, body }: Reply): string => `${status} ${body.error?.code ?? JSON.stringify(body.data, SHOWN)}`;

/** The books after which the replies are right: of actions at the same moment, one for each order of them that explains the replies. */
function explained(
  shop: Shop,
  actions: readonly Action[],
  replies: readonly Reply[],
): { readonly shops: readonly Shop[] } | { readonly problems: readonly string[] } {
  const tried = orders(actions.map((_, i) => i)).map((order) => {
    const next = structuredClone(shop);
    return { next, wrong: order.flatMap((i) => compare(next, actions[i]!, replies[i]!, actions.length > 1)) };
  });
  const shops = tried.filter(({ wrong }) => wrong.length === 0).map(({ next }) => next);
  if (shops.length > 0) return { shops };
  return { problems: [actions.length > 1 ? 'in no order of them; in the first:' : 'expected:', ...tried[0]!.wrong] };
}
/** Replies do not always tell which was first; rows do. */
function theOne(shops: readonly Shop[], books: Books, fail: (problems: readonly string[]) => void): Shop {
  const found = shops.find((shop) => differences(books, shop).length === 0);
  if (!found) fail(differences(books, shops[0]!));
  return found!;
}
const orders = (left: readonly number[]): number[][] =>
  left.length === 0 ? [[]] : left.flatMap((one) => orders(left.filter((other) => other !== one)).map((rest) => [one, ...rest]));

function compare(shop: Shop, action: Action, { status, body }: Reply, isRace: boolean): string[] {
  const expected = apply(shop, action);
  const code = body.error?.code ?? null;
  // An approval that loses a race is told so.
  const isLost = isRace && action.do === 'approve' && code === 'CONCURRENT_UPDATE' && expected.code === 'INVALID_STATUS';
  const wrong = isLost || (expected.status === status && expected.code === code) ? [] : [`${expected.status} ${String(expected.code)}`];
  const data = (body.data ?? {}) as Record<string, unknown>;
  if (wrong.length === 0 && code === null) {
    wrong.push(...differing(expected, data, isRace));
    expected.learn?.(data);
  }
  return wrong.map((text) => `${JSON.stringify(action)} → ${text}`);
}
/** What is to be expected of an open claim may be read beside another action. */
const differing = ({ data }: Expected, got: Readonly<Record<string, unknown>>, isRace: boolean): string[] =>
  Object.entries(data).flatMap(([field, value]) =>
    got[field] === value || (isRace && field.startsWith('expected')) ? [] : [`${field} ${String(value)}, not ${String(got[field])}`],
  );

/** Rows that are not as the reference has them. */
function differences({ items, claims, bundles, stock, order }: Books, shop: Shop): string[] {
  const found: string[] = [];
  const check = (what: string, got: unknown, expected: unknown) => {
    if (JSON.stringify(got) !== JSON.stringify(expected))
      found.push(`${what}: ${JSON.stringify(got)}, expected ${JSON.stringify(expected)}`);
  };
  for (const line of shop.lines) {
    const row = items.find((item) => item.order_item_id === line.orderItemId)!;
    check(line.orderItemId, [row['status'], row.canceled_quantity, row['exchanged_quantity']], [line.status, line.left, line.exchanged]);
    const isRevoked = (row['fulfillment'] as { status: string } | null)?.status === 'REVOKED';
    if (row['fulfillment']) check(`${line.orderItemId} provided`, isRevoked, line.left === line.quantity && line.exchanged === 0);
  }
  check('claims', claims.map((claim) => claim.claim_id).toSorted(), shop.claims.map(({ claimId }) => claimId).toSorted());
  for (const claim of shop.claims) {
    const row = claims.find((one) => one.claim_id === claim.claimId)!;
    check(
      claim.claimId,
      [row.status, row['is_hold_used'], row.restocked_quantity, row.stock_shortfall, row.amounts?.refundAmount ?? 0],
      [claim.status, claim.isHoldUsed, claim.restocked, claim.shortfall, claim.amounts.refundAmount],
    );
  }
  check(
    'bundles',
    bundles.map((row) => [row['shortfall_charged_won'], row['shortfall_charged_point_won'], Number(row['fee_refunded_won']) > 0]),
    shop.bundles.map(({ charged, isFeeBack }) => [charged.cash + charged.points, charged.points, isFeeBack]),
  );
  const { cash, points } = shop.coupon?.charged ?? { cash: 0, points: 0 };
  check('coupon', [order['coupon_charged_won'], order['coupon_charged_point_won']], [cash + points, points]);
  check(
    'stock',
    Object.keys(shop.stock).map((id) => stock.find((row) => row.variant_id === id)!.stock_quantity),
    Object.values(shop.stock),
  );
  check('progress', rankOf(String(order['progress_status'])), rankOf(leastOf(shop)));
  return found;
}
const PROGRESS = ['PAID', 'CONFIRMED', 'DISPATCHED', 'DELIVERED', 'PURCHASE_DECIDED'];
const rankOf = (status: string): number => (status === 'RETURNED' || status === 'EXCHANGED' ? 4 : PROGRESS.indexOf(status));
const leastOf = ({ lines }: Shop): string =>
  lines
    .map(({ status }) => status)
    .filter((status) => status !== 'CANCELED')
    .toSorted((a, b) => rankOf(a) - rankOf(b))[0] ?? 'CANCELED';

/** When every refund is settled, the provider has paid back each of them once, and none that is held. */
async function ledger({ orderNo }: Bought, shop: Shop, read: () => Promise<Books>): Promise<string[]> {
  const { refunds } = await until('refunds are settled', async () => {
    const books = await read();
    return books.refunds.every(({ status }) => status !== 'PENDING') && books;
  });
  const payments = (await call(underTest.simulator, 'GET', '/__sim/payments')).body as unknown as {
    readonly orderId: string;
    readonly cancels: readonly { readonly amount: number }[];
  }[];
  const sorted = (amounts: readonly number[]) => amounts.toSorted((a, b) => a - b).join();
  const paidBack = sorted(payments.find(({ orderId }) => orderId === `${orderNo}-01`)!.cancels.map(({ amount }) => amount));
  const done = sorted(refunds.filter(({ status }) => status === 'DONE').map(({ amount_won: won }) => won));
  const held = refunds.filter(({ status }) => status === 'HELD').map(({ refund_id: id }) => id);
  const found = paidBack === done ? [] : [`the provider paid back ${paidBack}, the refunds are ${done}`];
  if (held.toSorted().join() !== Object.keys(shop.heldRefunds).toSorted().join()) found.push(`held are ${held.join()}`);
  const strange = refunds.filter(({ status }) => status !== 'DONE' && status !== 'HELD');
  return [...found, ...strange.map((refund) => JSON.stringify(refund))];
}

/** Each claim is told when it is requested, and when it is completed; each cancel is an ORDER.CANCELED. */
async function events(lane: Lane, { orderId }: Bought, { claims, audits }: Books): Promise<string[]> {
  const rows = await query<{ type: string; n: number }>(
    `SELECT type, count(*)::int AS n FROM event WHERE store_id = $1 AND body::jsonb -> 'data' ->> 'orderId' = $2
       AND (type LIKE 'CLAIM.%' OR type = 'ORDER.CANCELED') GROUP BY type`,
    [lane.shop.store.storeId, orderId],
  );
  const of = (type: string) => rows.find((row) => row.type === type)?.n ?? 0;
  const count = (type: string, status?: string) =>
    claims.filter((claim) => claim.type === type && (status === undefined || claim.status === status)).length;
  const expected: Readonly<Record<string, number>> = {
    'CLAIM.CANCEL_REQUESTED': count('CANCEL'),
    'CLAIM.RETURN_REQUESTED': count('RETURN'),
    'CLAIM.EXCHANGE_REQUESTED': count('EXCHANGE'),
    'CLAIM.COMPLETED': count('CANCEL', 'COMPLETED') + count('RETURN', 'COMPLETED') + count('EXCHANGE', 'COMPLETED'),
    'ORDER.CANCELED': count('CANCEL', 'COMPLETED') + audits.filter(({ action }) => action === 'ORDER_ITEM_CANCELED').length,
  };
  return Object.entries(expected).flatMap(([type, n]) => (of(type) === n ? [] : [`${of(type)} ${type}, expected ${n}`]));
}
