/** Payments and refunds as rows, with the statements in which the system writes them, beside the plain sums of what they are. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { Pool, PoolClient } from 'pg';
import type { SalesFilter, SalesRow } from '../../../db/salesReport/queries.ts';
import { DAY, HOUR, koreanDate } from '../../../domain/kernel/time.ts';
import { GROUPS, PAID_METHODS, salesOf, totalsOf } from '../../../domain/salesReport/rules.ts';

const PGS = ['tosspayments', 'portone'] as const;
const METHODS = ['CARD', 'EASY_PAY', 'MOBILE'] as const;

export interface Refund {
  readonly won: number;
  readonly status: 'HELD' | 'PENDING' | 'FAILED' | 'DONE';
  readonly at: number;
}
export interface Payment {
  readonly status: 'pending' | 'failed' | 'completed';
  /** Of the completion. */
  readonly at: number;
  readonly cashWon: number;
  readonly pointWon: number;
  readonly isTest: boolean;
  readonly pg: (typeof PGS)[number];
  readonly method: (typeof METHODS)[number];
  /** What the provider said that it was; null: what was chosen. */
  readonly approvedMethod: 'EASY_PAY' | null;
  /** An attempt of the other provider went before. */
  readonly isSecond: boolean;
  /** The provider approved the first attempt after all, and it was voided. */
  readonly isFirstVoided: boolean;
  readonly isAttemptFirst: boolean;
  readonly refunds: readonly Refund[];
}

/** Milliseconds from a Korean midnight. */
const offset = fc
  .tuple(fc.integer({ min: -2, max: 2 }), fc.constantFrom(-1, 0, 1, HOUR, -9 * HOUR, 15 * HOUR))
  .map(([days, ms]) => days * DAY + ms);

const payment = fc.record<Payment>({
  status: fc.constantFrom('completed', 'completed', 'completed', 'failed', 'pending'),
  at: offset,
  cashWon: fc.oneof({ weight: 1, arbitrary: fc.constant(0) }, { weight: 4, arbitrary: fc.integer({ min: 3, max: 100_000 }) }),
  pointWon: fc.nat(5000),
  isTest: fc.boolean(),
  pg: fc.constantFrom(...PGS),
  method: fc.constantFrom(...METHODS),
  approvedMethod: fc.constantFrom(null, 'EASY_PAY'),
  isSecond: fc.boolean(),
  isFirstVoided: fc.boolean(),
  isAttemptFirst: fc.boolean(),
  refunds: fc.array(
    fc.record<Refund>({
      won: fc.integer({ min: 1, max: 3 }),
      status: fc.constantFrom('DONE', 'DONE', 'HELD', 'PENDING', 'FAILED'),
      at: offset,
    }),
    { maxLength: 2 },
  ),
});
/** Around the beginning of 1970, to be moved. */
export const somePayments = fc.array(payment, { minLength: 1, maxLength: 12 });
export const moved = (payments: readonly Payment[], midnight: number): Payment[] =>
  payments.map((one) => ({ ...one, at: one.at + midnight, refunds: one.refunds.map((back) => ({ ...back, at: back.at + midnight })) }));

export const someFilters = fc.array(
  fc.record({
    from: fc.integer({ min: -3, max: 1 }),
    to: fc.integer({ min: 1, max: 3 }),
    groupBy: fc.constantFrom(...GROUPS),
    pgs: fc.option(fc.subarray([...PGS], { minLength: 1 }), { nil: undefined }),
    methods: fc.option(fc.subarray([...PAID_METHODS], { minLength: 1 }), { nil: undefined }),
    includeTest: fc.boolean(),
  }),
  { minLength: 1, maxLength: 6 },
);
type SomeFilter = Omit<SalesFilter, 'from' | 'to'> & { readonly from: number; readonly to: number };
/** Its days counted from a midnight. */
export const filterAt = ({ from, to, ...filter }: SomeFilter, midnight: number): SalesFilter => ({
  ...filter,
  from: koreanDate(midnight + from * DAY),
  to: koreanDate(midnight + to * DAY),
});

interface Fact {
  readonly at: number;
  readonly pg: SalesRow['pg'];
  readonly method: SalesRow['method'];
  readonly isTest: boolean;
  readonly sales: ReturnType<typeof salesOf>;
}
function factsOf(payment: Payment): Fact[] {
  if (payment.status !== 'completed') return [];
  const { cashWon, pointWon, isTest } = payment;
  const isPaid = cashWon > 0;
  const by = { isTest, pg: isPaid ? payment.pg : null, method: isPaid ? (payment.approvedMethod ?? payment.method) : ('POINT' as const) };
  const none = { paymentCount: 0, paymentAmount: 0, pointAmount: 0, refundCount: 0, refundAmount: 0 };
  const paid = { ...none, paymentCount: 1, paymentAmount: cashWon, pointAmount: pointWon };
  const back = isPaid ? payment.refunds.filter(({ status }) => status === 'DONE') : [];
  return [
    { at: payment.at, ...by, sales: salesOf(paid) },
    ...back.map(({ at, won }) => ({ at, ...by, sales: salesOf({ ...none, refundCount: 1, refundAmount: won }) })),
  ];
}

/** The rows of a report, added up one by one. */
export function plainRows(payments: readonly Payment[], { from, to, groupBy, pgs, methods, includeTest }: SalesFilter): SalesRow[] {
  const shown = payments
    .flatMap(factsOf)
    .filter(({ at }) => koreanDate(at) >= from && koreanDate(at) <= to)
    .filter(
      ({ pg, method, isTest }) =>
        (includeTest || !isTest) && (pgs?.some((one) => one === pg) ?? true) && (methods?.includes(method) ?? true),
    );
  const keyOf = ({ at, pg, method }: Fact) => JSON.stringify([koreanDate(at).slice(0, groupBy === 'DAY' ? 10 : 7), pg ?? '~', method]);
  return [...Map.groupBy(shown, keyOf)]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, facts]) => {
      const [period] = JSON.parse(key) as [string];
      return { period, pg: facts[0]!.pg, method: facts[0]!.method, ...totalsOf(facts.map(({ sales }) => sales)) };
    });
}

interface Ids {
  readonly storeId: string;
  readonly paymentId: string;
}
/** A payment that was started, with its attempts: rows in either order, in one transaction. */
async function start(
  client: PoolClient,
  { storeId, paymentId }: Ids,
  { cashWon, pointWon, isTest, at, ...payment }: Payment,
): Promise<void> {
  const environment = isTest ? 'TEST' : 'LIVE';
  const insertPayment = () =>
    client.query(
      `INSERT INTO payment (store_id, payment_id, checkout_id, order_no, status, result, lines, amounts, delivery, total_won, return_url,
         buyer, current_attempt_id, attempt_count, test_payment, environment, expires_at, created_at, started_at)
       VALUES ($1, $2, $2, $2, 'pending', 'PENDING', '[]', $3, '{}', $4, '', '{}', '', 1, $5, $6, $7, $7, $7)`,
      [storeId, paymentId, JSON.stringify({ pointAmount: pointWon }), cashWon, isTest, environment, new Date(at - 60_000)],
    );
  const insertAttempt = (seq: number, pg: string, status: string) =>
    client.query(
      `INSERT INTO payment_attempt (store_id, attempt_id, payment_id, seq, pg, method, pg_order_id, amount_won, return_url, status,
         started_at, environment) VALUES ($1, $2, $3, $4, $5, $6, $2, 1, '', $7, now(), $8)`,
      [storeId, `${paymentId}-${seq}`, paymentId, seq, pg, payment.method, status, environment],
    );
  const insertAttempts = async () => {
    if (payment.isSecond) await insertAttempt(1, payment.pg === 'portone' ? 'tosspayments' : 'portone', 'SUPERSEDED');
    // What needed no cash in the end may have been tried before, and need not.
    if (cashWon > 0 || payment.isSecond) await insertAttempt(2, payment.pg, 'OPEN');
  };
  await client.query('BEGIN');
  await client.query(
    `INSERT INTO checkout (store_id, checkout_id, session_id, status, lines, expires_at, created_at)
     VALUES ($1, $2, 'gst_x', 'OPEN', '[]', now(), now())`,
    [storeId, paymentId],
  );
  for (const write of payment.isAttemptFirst ? [insertAttempts, insertPayment] : [insertPayment, insertAttempts]) await write();
  await client.query('COMMIT');
}

/** Completes it: payment and attempt in either order, in one transaction. */
export async function complete(client: PoolClient, { storeId, paymentId }: Ids, payment: Payment): Promise<void> {
  const completion = () =>
    client.query(
      `UPDATE payment SET status = 'completed', result = 'COMPLETED', completed_at = $3 WHERE store_id = $1 AND payment_id = $2`,
      [storeId, paymentId, new Date(payment.at)],
    );
  const approval = () =>
    client.query(
      `UPDATE payment_attempt SET status = CASE WHEN $3 THEN 'APPROVED' ELSE 'SUPERSEDED' END, approved_method = $4
       WHERE store_id = $1 AND attempt_id = $2`,
      [storeId, `${paymentId}-2`, payment.cashWon > 0, payment.approvedMethod],
    );
  for (const write of payment.isAttemptFirst ? [approval, completion] : [completion, approval]) await write();
}

async function refund(client: PoolClient, { storeId, paymentId }: Ids, { won, status, at }: Refund): Promise<void> {
  const refundId = `rfd_${randomUUID()}`;
  // Of no item: the books are about payments.
  await client.query(`BEGIN; SET LOCAL session_replication_role = replica`);
  await client.query(
    `INSERT INTO refund (store_id, refund_id, payment_id, order_id, order_item_id, amount_won, cause, status, created_at)
     VALUES ($1, $2, $3, 'o', 'i', $4, 'SELLER_CANCEL', $5, now())`,
    [storeId, refundId, paymentId, won, status === 'HELD' ? 'HELD' : 'PENDING'],
  );
  await client.query('COMMIT');
  if (status === 'DONE' || status === 'FAILED')
    await client.query('UPDATE refund SET status = $3, settled_at = $4 WHERE store_id = $1 AND refund_id = $2', [
      storeId,
      refundId,
      status,
      new Date(at),
    ]);
}

/** Its whole life, on a connection of its own. */
export async function live(pool: Pool, storeId: string, payment: Payment): Promise<void> {
  const client = await pool.connect();
  const ids = { storeId, paymentId: `pay_${randomUUID()}` };
  try {
    await start(client, ids, payment);
    if (payment.status === 'failed')
      await client.query(`UPDATE payment SET status = 'failed', result = 'FAILED' WHERE payment_id = $1`, [ids.paymentId]);
    if (payment.status !== 'completed') return;
    await client.query('BEGIN');
    await complete(client, ids, payment);
    await client.query('COMMIT');
    if (payment.isFirstVoided)
      await client.query(`UPDATE payment_attempt SET status = 'VOIDED', approved_method = 'MOBILE' WHERE attempt_id = $1`, [
        `${ids.paymentId}-1`,
      ]);
    if (payment.cashWon > 0) for (const one of payment.refunds) await refund(client, ids, one);
  } finally {
    client.release();
  }
}

/** A payment that was started and can be completed. */
export async function started(pool: Pool, storeId: string, payment: Payment): Promise<string> {
  const client = await pool.connect();
  const paymentId = `pay_${randomUUID()}`;
  await start(client, { storeId, paymentId }, payment).finally(() => client.release());
  return paymentId;
}
