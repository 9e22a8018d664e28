/**
 * How many SQL statements and transactions an operation costs API and worker, without the relay, which works in batches. Like a size
 * budget: what changes a number changes `bench/statements.json`, in the same commit.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../bin/kernel/paths.ts';
import { freePort } from '../../../bin/dev/ports.ts';
import { Buyer, pay, type Reply, Seller } from '../../../bin/dev/client.ts';
import { ownApi } from '../../kernel/api.ts';
import { roleUrl } from '../../kernel/database.ts';
import { statementCounter, type StatementCounter } from '../../kernel/statementCounter.ts';
import { underTest, until } from '../../kernel/world.ts';
import { type Host, host } from '../runs/hosted.ts';

/** Statements and transactions of each operation; the bench prints them, too. */
const BUDGET = JSON.parse(readFileSync(join(root, 'bench/statements.json'), 'utf8')) as Readonly<
  Record<Operation, readonly [number, number]>
>;
type Operation =
  | 'a guest session'
  | 'a checkout'
  | 'the start of a payment'
  | 'the payment page'
  | 'the return from the provider'
  | 'the status of a payment'
  | 'the seller’s newest orders'
  | 'an order'
  | 'a confirmation'
  | 'a dispatch'
  | 'a cancel'
  | 'a claim'
  | 'a collection'
  | 'a completed collection'
  | 'an approval of a claim'
  | 'the seller’s products'
  | 'the shelf';
/** What one buyer's order may cost: the first five, and the relay's statements. */
const ORDER: readonly Operation[] = [
  'a guest session',
  'a checkout',
  'the start of a payment',
  'the payment page',
  'the return from the provider',
];
const ORDER_BUDGET = { statements: 70, transactions: 9 };
/** The relay's one transaction for an order: its outbox rows read, their runs marked, the rows deleted. */
const RELAY = { statements: 3, transactions: 1 };

let counter: StatementCounter;
let under: Host;
let api: { readonly stop: () => void };
let base: string;
beforeAll(async () => {
  counter = await statementCounter(underTest.databaseUrl);
  under = await host({ server: 'dev', through: counter.through });
  const port = String(await freePort(28_500));
  base = `http://127.0.0.1:${port}`;
  api = await ownApi({
    PORT: port,
    PUBLIC_URL: base,
    APP_DATABASE_URL: counter.through(roleUrl(under.databaseUrl, 'sangjeom_app')),
    TEMPORAL_NAMESPACE: under.temporalNamespace,
  });
}, 120_000);
afterAll(async () => {
  api.stop();
  await under.close();
  counter.close();
});

const spent: Partial<Record<Operation, readonly [number, number]>> = {};
const sent: Partial<Record<Operation, readonly string[]>> = {};
async function cost<T>(operation: Operation, work: () => Promise<T>): Promise<T> {
  counter.take();
  const done = await work();
  const { statements, transactions } = counter.take();
  spent[operation] = [statements.length, transactions];
  sent[operation] = statements;
  return done;
}

/** A seller and a buyer, each operation once. */
async function shopping(): Promise<void> {
  const seller = await Seller.login(base, under.store);
  const products = await cost('the seller’s products', () => seller.call('GET', '/v1/products'));
  const { productId } = products.body.data.items[0] as { productId: string };
  const buyer = await cost('a guest session', () => Buyer.arrive(base, under.store.storeCode));
  const { checkoutId } = (await cost('a checkout', () => buyer.checkout(productId))).body.data as { checkoutId: string };
  const { payUrl, paymentId } = (await cost('the start of a payment', () => buyer.start(checkoutId))).body.data as Record<string, string>;
  await cost('the payment page', () => fetch(payUrl!));
  const screen = spent['the payment page']!;
  await cost('the return from the provider', () => pay(payUrl!));
  // `pay` opens the page once more.
  const [statements, transactions] = spent['the return from the provider']!;
  spent['the return from the provider'] = [statements - screen[0], transactions - screen[1]];
  const { orderId } = (await cost('the status of a payment', () => buyer.status(paymentId!))).body.data as { orderId: string };
  await cost('the shelf', () => buyer.call('GET', '/storefront/v1/products'));
  await cost('the seller’s newest orders', () => seller.call('GET', '/v1/orders'));
  const order = await cost('an order', () => seller.call('GET', `/v1/orders/${orderId}`));
  const { orderItemId } = order.body.data.items[0] as { orderItemId: string };
  const act = (action: string, body: object) => seller.call('POST', `/v1/order-items/${orderItemId}/${action}`, body);
  await cost('a confirmation', () => act('confirm', {}));
  const dispatched = await cost('a dispatch', () => act('dispatch', { deliveryMethod: 'NONE' }));
  expect(dispatched.status).toBe(200);
}
async function cancel(): Promise<void> {
  const payment = await under.payment();
  await under.command(payment.run, 'pay', await under.authenticated(payment), { wait: 'idle' });
  const item = await under.itemOf(payment.orderNo);
  const seller = await Seller.login(base, under.store);
  // Held: the refund itself is a matter of the payment's run.
  const canceled = await cost('a cancel', () =>
    seller.call('POST', `/v1/order-items/${item.entityId}/cancel`, { reason: 'OTHER', holdRefund: true }),
  );
  expect(canceled.status).toBe(200);
}

/** A member's return. What a filing and an approval leave to the item's run is part of them: its load. */
async function returning(): Promise<void> {
  const seller = await Seller.login(base, under.store);
  const { productId } = (await seller.call('GET', '/v1/products')).body.data.items[0] as { productId: string };
  const buyer = await Buyer.join(base, under.store.storeCode);
  const { checkoutId } = (await buyer.checkout(productId)).body.data as { checkoutId: string };
  const { payUrl, paymentId } = (await buyer.start(checkoutId)).body.data as Record<string, string>;
  await pay(payUrl!);
  const { orderId } = (await buyer.status(paymentId!)).body.data as { orderId: string };
  const { orderItemId, orderItemNo } = (await seller.call('GET', `/v1/orders/${orderId}`)).body.data.items[0] as Record<string, string>;
  await seller.call('POST', `/v1/order-items/${orderItemId}/confirm`, {});
  await seller.call('POST', `/v1/order-items/${orderItemId}/dispatch`, { deliveryMethod: 'NONE' });
  const item = under.client.workflow.getHandle(`order-item/${under.storeId}/${orderItemNo}`);
  /** What an operation woke has happened. */
  const alsoLoaded = async (work: () => Promise<Reply>): Promise<Reply> => {
    const { historyLength } = await item.describe();
    const reply = await work();
    await until('the item’s run has loaded', async () => {
      const { raw, historyLength: length, status } = await item.describe();
      return status.name === 'COMPLETED' || (length > historyLength + 3 && !raw.pendingWorkflowTask);
    });
    return reply;
  };
  const filing = { type: 'RETURN', reason: 'DEFECTIVE' };
  const filed = await cost('a claim', () =>
    alsoLoaded(() => buyer.call('POST', `/storefront/v1/me/order-items/${orderItemId}/claims`, filing)),
  );
  const claim = `/v1/claims/${filed.body.data.claimId as string}`;
  await cost('a collection', () => seller.call('POST', `${claim}/collect`, { method: 'BUYER_SEND' }));
  await cost('a completed collection', () => seller.call('POST', `${claim}/collect/complete`, {}));
  // Held: as of a cancel.
  const approved = await cost('an approval of a claim', () =>
    alsoLoaded(() => seller.call('POST', `${claim}/approve`, { holdRefund: true })),
  );
  expect(approved.status).toBe(200);
}

test('every operation costs what the table says', async () => {
  // Once to warm up: keys are loaded, clients are remembered.
  await shopping();
  await shopping();
  await cancel();
  await returning();
  const changed = (Object.keys(BUDGET) as Operation[]).filter((operation) => String(spent[operation]) !== String(BUDGET[operation]));
  for (const operation of changed) process.stderr.write(`${operation}\n  ${sent[operation]?.join('\n  ')}\n`);
  expect(spent).toEqual(BUDGET);
}, 60_000);

test('a buyer’s order stays within its budget', () => {
  const sum = (index: 0 | 1) => ORDER.reduce((all, operation) => all + BUDGET[operation][index], 0);
  expect(sum(0) + RELAY.statements).toBeLessThanOrEqual(ORDER_BUDGET.statements);
  expect(sum(1) + RELAY.transactions).toBeLessThanOrEqual(ORDER_BUDGET.transactions);
});
