/** A random shop: actors buy, sell, cancel and claim at once; then everything comes to rest, and the books are balanced from outside. */
import type { Bench, Report } from '../harness.ts';
import { retryOnFailure } from '../harness.ts';
import { settle } from '../invariants.ts';
import { buy, comeBack } from './buying.ts';
import { Dice } from './dice.ts';
import { type Facts, readFacts } from './facts.ts';
import { moneyBroken } from './money.ts';
import { handleOrder } from './ordering.ts';
import { sell } from './selling.ts';
import { Shop } from './shop.ts';
import { stockBroken } from './stock.ts';

export interface Play {
  readonly actions: number;
  /** How many act at once. */
  readonly actors: number;
  readonly seed: number;
}
type Act = (shop: Shop, dice: Dice) => Promise<unknown>;
const ACTS: readonly (readonly [number, Act])[] = [
  [20, buy],
  [55, handleOrder],
  [23, sell],
  [2, returnLate],
];

export async function playBooks(under: Bench, { actions, actors, seed }: Play): Promise<Report> {
  const { system, seller, store } = under;
  const shop = await Shop.open(seller, store);
  const broken: string[] = [];
  let begun = 0;
  const play = async (dice: Dice) => {
    while (begun++ < actions)
      await dice
        .weighted(ACTS)(shop, dice)
        .catch((error: unknown) => broken.push(`an action broke: ${String((error as Error).stack)}`));
  };
  await Promise.all(Array.from({ length: actors }, (_, i) => play(new Dice(seed * 1000 + i))));
  const restless = await comeToRest(under, shop);
  const facts = await readFacts(shop, system.databaseUrl, system.simulator);
  const { desk } = shop;
  const idle = facts.orders.length * 30 < actions ? [`only ${facts.orders.length} orders: too little happened`] : [];
  const violations = [...desk.faults, ...idle, ...broken, ...restless, ...moneyBroken(shop, facts), ...stockBroken(shop, facts)];
  return {
    kills: 0,
    orders: facts.orders.length,
    requests: desk.requests,
    retries: desk.retries,
    violations: violations.map((violation) => `seed ${seed}: ${violation}`),
    notes: notesOf(shop, facts),
  };
}

async function returnLate(shop: Shop): Promise<void> {
  const back = shop.lateReturns.shift();
  if (back) await comeBack(shop, back);
}

/** The last ones return, held refunds are let go, and what was never paid expires. */
async function comeToRest({ system, seller }: Bench, shop: Shop): Promise<string[]> {
  while (shop.lateReturns.length > 0) await returnLate(shop);
  for (const refundId of shop.heldRefunds.splice(0)) await shop.sell('refunds.process', 'POST', `/v1/payments/refunds/${refundId}/process`);
  let isSettled = false;
  for (let tries = 0; !isSettled && tries < 12; tries++) {
    const advance = { advance: tries === 0 ? 'PT3H' : 'PT1S' };
    const { status, body } = await retryOnFailure(() =>
      seller.call('POST', '/v1/sandbox/clock', advance, { 'idempotency-key': `rest-${tries}` }),
    );
    isSettled = status === 200 && body.data.settled === true;
  }
  const left = await settle(system.databaseUrl, 180_000);
  return [
    ...(isSettled ? [] : ['the clock never settles: something is due for ever']),
    ...(left === null ? [] : [`never settled: ${left}`]),
  ];
}

const operationOf = (answer: string): string => answer.slice(0, answer.lastIndexOf(' '));

function notesOf({ desk, stockWrites, departures, members }: Shop, { orders, claims, payments, accounts }: Facts): string[] {
  const refunds = payments.flatMap((payment) => payment.refunds);
  const won = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0).toLocaleString('en');
  return [
    `${orders.length} orders of ${payments.length} payments, ${claims.length} claims, ${departures.length} departures, ${refunds.length} refunds`,
    `${won(orders.map(({ amounts }) => amounts.totalAmount))} won paid, ${won(refunds.map(({ amount }) => amount))} paid back; ${members.length} members with ${won(accounts.map(({ balance }) => balance))} points`,
    `${stockWrites.length} writes of stock, ${stockWrites.filter(({ known }) => known !== null).length} of them known from outside`,
    ...[...Map.groupBy(desk.answers, ([answer]) => operationOf(answer))]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(
        ([operation, answers]) =>
          `${operation}: ${answers.map(([answer, times]) => `${answer.slice(operation.length + 1)} ${times}`).join(', ')}`,
      ),
  ];
}
