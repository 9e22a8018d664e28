/** The ledger of points in Postgres: any sequence as the pure model has it, races, and what the database itself refuses. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Client } from 'pg';
import type { MikroORM } from '@mikro-orm/postgresql';
import { makeStore } from '../../../bin/ops/store/make.ts';
import { signUp } from '../../../db/customers/commands.ts';
import { sqlOn } from '../../../db/kernel/sql.ts';
import { inTenant, REQUEST, type Tx } from '../../../db/kernel/tx.ts';
import { openOrm } from '../../../db/orm.ts';
import { checkAccounts } from '../../../db/points/check.ts';
import { findDue } from '../../../db/points/expiry.ts';
import * as ledger from '../../../db/points/ledger.ts';
import { listHistory } from '../../../db/points/queries.ts';
import { spendableWon } from '../../../domain/points/ledger.ts';
import { DAY } from '../../../domain/kernel/time.ts';
import { migratedDatabase, roleUrl } from '../../kernel/database.ts';
import { tenancy } from '../../kernel/tenancy.ts';
import { type Ending, type Granting, Ledger, type Step, steps, TYPES } from '../../units/points/sequences.ts';

const START = Date.parse('2026-11-24T09:00:00+09:00');
let url: string;
let orm: MikroORM;
let storeId: string;
let customers = 0;
beforeAll(async () => {
  url = await migratedDatabase('points');
  ({ storeId } = await makeStore(url, { code: 'points', name: 'n', sandbox: true, withProduct: false }));
  orm = await openOrm(roleUrl(url, 'sangjeom_app'), 8);
}, 60_000);
afterAll(() => orm.close());

const within = <T>(work: (tx: Tx) => Promise<T>, at = START): Promise<T> => inTenant(orm, tenancy(storeId, at), REQUEST, work);
const customer = async (): Promise<string> => {
  const person = { email: `c${customers++}@example.com`, name: 'n', phone: '010-1111-2222', passwordHash: 'h', consents: [] };
  return (await within((tx) => signUp(tx, person))).customerId;
};
const granted = (customerId: string, amountWon: number, days: number) =>
  within((tx) => ledger.grantPoints(tx, { customerId, type: 'ADJUST', amountWon, expiresAt: new Date(START + days * DAY) }));
const code = (error: { code?: string }) => error.code;
const entriesOf = async (customerId: string) =>
  (await within((tx) => listHistory(tx, { customerId, page: 1, size: 100 }))).items.map(({ type, amountWon }) => [type, amountWon]);
const wrong = async () => (await checkAccounts(sqlOn(orm), null, 1000)).filter(({ differences }) => differences.length > 0);

/** Carries out the steps of the pure model in the database, at its days. */
class Stored {
  readonly #customerId: string;
  readonly #reserved: string[] = [];
  readonly #rewards: string[] = [];
  #day = 0;
  #made = 0;
  constructor(customerId: string) {
    this.#customerId = customerId;
  }
  get at(): number {
    return START + this.#day * DAY;
  }
  async run(step: Step): Promise<boolean> {
    if (step.do === 'expire') this.#day += step.days;
    try {
      await within((tx) => this.#work(tx, step), this.at);
      return true;
    } catch (error) {
      expect(code(error as object)).toBe('POINT_BALANCE_INSUFFICIENT');
      return false;
    }
  }
  async #work(tx: Tx, step: Step): Promise<unknown> {
    const customerId = this.#customerId;
    if ('which' in step) return this.#end(tx, step);
    if (step.do === 'expire') return ledger.expirePoints(tx, customerId);
    if ('days' in step) return this.#grant(tx, step);
    if (step.do === 'deduct') return ledger.deductPoints(tx, { customerId, type: 'ADJUST', amountWon: step.won });
    const paymentId = this.#id();
    await ledger.reservePoints(tx, { customerId, paymentId, amountWon: step.won });
    return step.won > 0 && this.#reserved.push(paymentId);
  }
  async #grant(tx: Tx, step: Granting): Promise<unknown> {
    const id = this.#id();
    const about = { earn: { orderItemId: id }, reward: { reviewId: id, orderItemId: id }, restore: { reference: id } }[step.do];
    if (step.do === 'reward' && step.won > 0) this.#rewards.push(id);
    const expiresAt = new Date(this.at + step.days * DAY);
    return ledger.grantPoints(tx, { customerId: this.#customerId, type: TYPES[step.do], amountWon: step.won, expiresAt, ...about });
  }
  async #end(tx: Tx, step: Ending): Promise<unknown> {
    const customerId = this.#customerId;
    const list = step.do === 'revoke' ? this.#rewards : this.#reserved;
    const [chosen] = list.length === 0 ? [] : list.splice(step.which % list.length, 1);
    if (chosen === undefined || step.do === 'use') return null;
    return step.do === 'revoke'
      ? ledger.revokeReviewPoints(tx, { customerId, reviewId: chosen })
      : ledger.releasePoints(tx, { customerId, paymentId: chosen });
  }
  #id(): string {
    return `${this.#customerId}-${this.#made++}`;
  }
}

test('any sequence is in the database what it is in the model, and everything adds up', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const customerId = await customer();
      const [model, stored] = [new Ledger(), new Stored(customerId)];
      for (const step of sequence) expect([step, await stored.run(step)]).toEqual([step, model.run(step)]);
      // What is due is written by the next operation of either.
      const last = { do: 'expire', days: 0 } as const;
      expect(await stored.run(last)).toBe(model.run(last));
      expect(await within((tx) => ledger.readBalance(tx, customerId), stored.at)).toBe(spendableWon(model.account));
      const written = (await within((tx) => listHistory(tx, { customerId, page: 1, size: 100 }))).items;
      expect(written.toReversed().map(({ seq, type, amountWon, balanceWon }) => ({ seq, type, amountWon, balanceWon }))).toEqual(
        model.entries.map(({ seq, type, amountWon, balanceWon }) => ({ seq, type, amountWon, balanceWon })),
      );
    }),
    { numRuns: Number(process.env['POINT_SEQUENCES_STORED'] ?? 25) },
  );
  expect(await wrong()).toEqual([]);
}, 120_000);

test('what is granted once is granted once, in parallel too', async () => {
  const customerId = await customer();
  const expiresAt = new Date(START + 30 * DAY);
  const grants = [
    { type: 'EARN_PURCHASE', orderItemId: 'oit_once' },
    { type: 'EARN_REVIEW', reviewId: 'rev_once', orderItemId: 'oit_once' },
    // An item is rewarded once in its life.
    { type: 'EARN_REVIEW', reviewId: 'rev_again', orderItemId: 'oit_once' },
    { type: 'REFUND_RESTORE', reference: 'rfd_once' },
    { type: 'OPENING' },
  ] as const;
  for (const one of grants)
    await Promise.all(
      Array.from({ length: 4 }, () => within((tx) => ledger.grantPoints(tx, { ...one, customerId, amountWon: 10, expiresAt }))),
    );
  expect((await entriesOf(customerId)).toReversed()).toEqual([
    ['EARN_PURCHASE', 10],
    ['EARN_REVIEW', 10],
    ['REFUND_RESTORE', 10],
    ['OPENING', 10],
  ]);
  expect(await wrong()).toEqual([]);
});

test('two payments never get the same point', async () => {
  const customerId = await customer();
  await granted(customerId, 700, 10);
  await granted(customerId, 300, 20);
  const reserve = (n: number) =>
    within((tx) => ledger.reservePoints(tx, { customerId, paymentId: `pay_race_${n}`, amountWon: 400 })).then(() => 'ok', code);
  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => reserve(n)));
  expect(
    Object.fromEntries(
      Map.groupBy(answers, String)
        .entries()
        .map(([answer, all]) => [answer, all.length]),
    ),
  ).toEqual({
    ok: 2,
    POINT_BALANCE_INSUFFICIENT: 18,
  });
  const winner = `pay_race_${answers.indexOf('ok')}`;
  const release = () => within((tx) => ledger.releasePoints(tx, { customerId, paymentId: winner }));
  const released = await Promise.all(Array.from({ length: 5 }, release));
  expect(released.filter((entry) => entry !== null)).toHaveLength(1);
  expect(await within((tx) => ledger.readBalance(tx, customerId))).toBe(600);
  expect(await wrong()).toEqual([]);
});

test('a payment that uses another amount releases the old one; the same amount writes nothing', async () => {
  const [customerId, paymentId] = [await customer(), 'pay_again'];
  await granted(customerId, 1000, 10);
  for (const amountWon of [600, 600, 900, 0])
    await within((tx) => ledger.reservePoints(tx, { customerId, paymentId, amountWon })).then(async () =>
      expect(await within((tx) => ledger.reservedPoints(tx, paymentId))).toBe(amountWon),
    );
  expect((await entriesOf(customerId)).toReversed().slice(1)).toEqual([
    ['USE_RESERVE', -600],
    ['USE_RELEASE', 600],
    ['USE_RESERVE', -900],
    ['USE_RELEASE', 900],
  ]);
});

test('restored points expire with the last lot of the payment, or 30 days later where it is dead', async () => {
  const [customerId, paymentId] = [await customer(), 'pay_restore'];
  await granted(customerId, 100, 10);
  await granted(customerId, 100, 20);
  await within((tx) => ledger.reservePoints(tx, { customerId, paymentId, amountWon: 150 }));
  const expiry = (days: number) => within((tx) => ledger.restoreExpiry(tx, paymentId, START + days * DAY));
  expect(await expiry(5)).toEqual(new Date(START + 20 * DAY));
  expect(await expiry(20)).toEqual(new Date('2027-01-13T23:59:59+09:00'));
});

test('a clock that another process has seen further ahead writes no entry before the last one', async () => {
  const customerId = await customer();
  await granted(customerId, 100, 10);
  await within((tx) => ledger.expirePoints(tx, customerId), START + 10 * DAY);
  await granted(customerId, 50, 20);
  const { items } = await within((tx) => listHistory(tx, { customerId, page: 1, size: 10 }));
  expect(items.map(({ type, createdAt }) => [type, createdAt.getTime() - START])).toEqual([
    ['ADJUST', 10 * DAY],
    ['EXPIRE', 10 * DAY],
    ['ADJUST', 0],
  ]);
});

test('who has withdrawn has no points, and nothing moves them', async () => {
  const customerId = await customer();
  await granted(customerId, 100, 10);
  await within((tx) => ledger.reservePoints(tx, { customerId, paymentId: 'pay_gone', amountWon: 40 }));
  await within(({ sql }) => sql`DELETE FROM customer WHERE store_id = ${storeId} AND customer_id = ${customerId}`);
  const done = [
    await granted(customerId, 100, 10),
    await within((tx) => ledger.deductPoints(tx, { customerId, type: 'ADJUST', amountWon: 1 })),
    await within((tx) => ledger.reservePoints(tx, { customerId, paymentId: 'pay_gone', amountWon: 10 })),
    await within((tx) => ledger.releasePoints(tx, { customerId, paymentId: 'pay_gone' })),
    await within((tx) => ledger.revokeReviewPoints(tx, { customerId, reviewId: 'rev_gone' })),
  ];
  expect(done).toEqual([null, null, null, null, null]);
  expect(await entriesOf(customerId)).toEqual([]);
});

test('nobody changes or deletes an entry, not even the owner of the tables', async () => {
  const customerId = await customer();
  await granted(customerId, 100, 10);
  const owner = new Client({ connectionString: url });
  await owner.connect();
  await owner.query(`SELECT set_config('app.store_id', $1, false)`, [storeId]);
  for (const statement of [
    'UPDATE point_history SET amount_won = amount_won + 1',
    'DELETE FROM point_history',
    'UPDATE point_movement SET amount_won = 1',
    'DELETE FROM point_movement',
    'DELETE FROM point_lot',
    'TRUNCATE point_movement',
    'TRUNCATE point_history, point_lot, point_movement',
    'TRUNCATE point_lot CASCADE',
    'TRUNCATE point_account CASCADE',
    'TRUNCATE customer CASCADE',
  ])
    await expect(owner.query(statement)).rejects.toThrow('is append-only');
  await expect(owner.query('UPDATE point_account SET balance_won = -1')).rejects.toThrow('check constraint');
  await expect(owner.query('UPDATE point_lot SET remaining_won = -1')).rejects.toThrow('check constraint');
  await owner.end();
  for (const work of [
    (tx: Tx) => tx.sql`UPDATE point_history SET memo = NULL`,
    (tx: Tx) => tx.sql`DELETE FROM point_history`,
    (tx: Tx) => tx.sql`DELETE FROM point_lot`,
    (tx: Tx) => tx.sql`DELETE FROM point_account`,
    (tx: Tx) => tx.sql`UPDATE point_lot SET amount_won = 1`,
    (tx: Tx) => tx.sql`INSERT INTO point_account (store_id, customer_id) VALUES (${storeId}, 'cus_x')`,
  ])
    await expect(within(work)).rejects.toThrow('permission denied');
});

test('the check finds an account that was tampered with', async () => {
  const customerId = await customer();
  await granted(customerId, 100, 10);
  const owner = new Client({ connectionString: url });
  await owner.connect();
  const set = (won: number) => owner.query('UPDATE point_account SET balance_won = $1 WHERE customer_id = $2', [won, customerId]);
  await set(99);
  const [found] = await wrong();
  expect(found).toMatchObject({ storeId, customerId, differences: [expect.any(String), expect.any(String), expect.any(String)] });
  await set(100);
  await owner.end();
  expect(await wrong()).toEqual([]);
});

test('dead lots of all members are found a portion at a time', async () => {
  const members = new Set<string>();
  for (let n = 0; n < 3; n++) {
    const customerId = await customer();
    members.add(customerId);
    for (let lot = 0; lot < 90; lot++) await granted(customerId, 1, 1 + (lot % 7));
  }
  const found = new Set<string>();
  let [after, portions] = [null, 0] as [Parameters<typeof findDue>[2], number];
  do {
    const portion = await findDue(sqlOn(orm), START + 8 * DAY, after);
    for (const { customerId } of portion.members) found.add(customerId);
    [after, portions] = [portion.last, portions + 1];
  } while (after !== null);
  expect(portions).toBeGreaterThan(1);
  expect([...members].filter((one) => !found.has(one))).toEqual([]);
}, 60_000);
