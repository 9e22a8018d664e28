/** What a return costs, from its filing to its refund: how long it takes, and step by step in each process. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'pg';
import { Buyer, pay, Seller } from '../bin/dev/client.ts';
import type { System } from '../bin/dev/system.ts';
import { makeStore } from '../bin/ops/store/make.ts';
import { type Cost, loadWithCost } from './cost.ts';

interface Item {
  readonly buyer: Buyer;
  readonly orderItemId: string;
}
const CALLERS = [1, 16] as const;

/** `count`: returns for each number of callers, step by step, and as many again from the first step to the last. */
export async function claims(system: System, count: number, print: (text: string) => void): Promise<void> {
  const store = await makeStore(
    system.databaseUrl,
    { code: 'claims', name: 'bench', sandbox: true, withProduct: true },
    system.env['SEALING_KEYS'],
  );
  const seller = await Seller.login(system.api, store);
  const { productId } = (await seller.call('GET', '/v1/products')).body.data.items[0] as { productId: string };
  const pool = new Pool({ connectionString: system.databaseUrl, max: 16 });
  const buyers = await Promise.all(Array.from({ length: 16 }, () => Buyer.join(system.api, 'claims')));
  const bought = (n: number) => buyMany(seller, buyers, productId, n);
  const act = (claimId: string, action: string, body: object = {}) => checked(seller.call('POST', `/v1/claims/${claimId}/${action}`, body));
  const file = async ({ buyer, orderItemId }: Item) => {
    const wanted = { type: 'RETURN', reason: 'CHANGE_OF_MIND' };
    return (await checked(buyer.call('POST', `/storefront/v1/me/order-items/${orderItemId}/claims`, wanted)))['claimId'] as string;
  };
  const paidBack = async (refundId: string) => {
    while (!(await isDone(pool, refundId))) await sleep(5);
  };
  const whole = async (item: Item) => {
    const claimId = await file(item);
    await act(claimId, 'collect', { method: 'BUYER_SEND' });
    await act(claimId, 'collect/complete');
    await paidBack((await act(claimId, 'approve'))['refundId'] as string);
  };
  try {
    for (const item of await bought(20)) await whole(item);
    for (const callers of CALLERS) {
      const items = await bought(count);
      const ids: string[] = [];
      const step = (name: string, work: (i: number) => Promise<unknown>) => loadWithCost(system.processes, name, callers, count, work);
      print(`\n${count} returns, ${callers === 1 ? 'one after the other' : `${callers} at a time`}:`);
      printCost(await step('filed by a member', async (i) => void (ids[i] = await file(items[i]!))), print);
      printCost(await step('collection registered', (i) => act(ids[i]!, 'collect', { method: 'BUYER_SEND' })), print);
      printCost(await step('collection completed', (i) => act(ids[i]!, 'collect/complete')), print);
      printCost(await step('approved, and refunded', async (i) => paidBack((await act(ids[i]!, 'approve'))['refundId'] as string)), print);
      const others = await bought(count);
      printCost(await step('filed to refunded', (i) => whole(others[i]!)), print);
    }
  } finally {
    await pool.end();
  }
}

function printCost({ name, perSecond, p50, p95, coreMs }: Cost, print: (text: string) => void): void {
  const all = Object.values(coreMs).reduce((sum, ms) => sum + ms, 0);
  const by = Object.entries(coreMs).map(([process, ms]) => `${process} ${ms}`);
  print(`  ${name.padEnd(24)} p50 ${p50} ms, p95 ${p95} ms, ${perSecond}/s; ms of a core ${all.toFixed(1)}: ${by.join(', ')}`);
}

/** Items that were bought by members, confirmed and dispatched; eight at a time. */
async function buyMany(seller: Seller, buyers: readonly Buyer[], productId: string, count: number): Promise<Item[]> {
  const items: Item[] = [];
  let next = 0;
  const line = async () => {
    while (next < count) items.push(await buyOne(seller, buyers[next++ % buyers.length]!, productId));
  };
  await Promise.all(Array.from({ length: 8 }, line));
  return items;
}
async function buyOne(seller: Seller, buyer: Buyer, productId: string): Promise<Item> {
  const { checkoutId } = await checked(buyer.checkout(productId));
  const { payUrl, paymentId } = await checked(buyer.start(checkoutId as string));
  await pay(payUrl as string);
  const { orderId } = await checked(buyer.status(paymentId as string));
  const order = await checked(seller.call('GET', `/v1/orders/${String(orderId)}`));
  const { orderItemId } = (order['items'] as { orderItemId: string }[])[0]!;
  await checked(seller.call('POST', `/v1/order-items/${orderItemId}/confirm`, {}));
  await checked(seller.call('POST', `/v1/order-items/${orderItemId}/dispatch`, { deliveryMethod: 'DIRECT' }));
  return { buyer, orderItemId };
}

async function isDone(pool: Pool, refundId: string): Promise<boolean> {
  return ((await pool.query(`SELECT 1 FROM refund WHERE refund_id = $1 AND status = 'DONE'`, [refundId])).rowCount ?? 0) > 0;
}
/** The data of a reply; an error ends the bench. */
async function checked(
  reply: Promise<{ readonly status: number; readonly body: { readonly data: Record<string, unknown>; readonly error: unknown } }>,
) {
  const { status, body } = await reply;
  if (status >= 400) throw new Error(`${status} ${JSON.stringify(body.error)}`);
  return body.data;
}
