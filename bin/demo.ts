/**
 * `npm run demo`: a shop's day against the running system, or one that it starts itself. Every step prints what it verified and where to
 * look in Temporal UI; exit code 0: every step held.
 */
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { workflowIdOf } from '../workflows/kernel/messages.ts';
import type { CreatedStore } from '../db/identity/createStore.ts';
import { Buyer, OPTION, pay, Seller, ITEM_EVENTS } from './dev/client.ts';
import { CLAIM_EVENTS, claim } from './dev/demo/claims.ts';
import { Day, type DemoTarget, hold, print, RETURN } from './dev/demo/day.ts';
import { flows } from './dev/demo/flows.ts';
import { points, REVIEW_EVENTS } from './dev/demo/points.ts';
import { developmentSystem, type DevelopmentSystem } from './dev/developmentSystem.ts';
import { temporarySystem } from './dev/temporary.ts';
import { until } from './dev/until.ts';
import { root } from './kernel/paths.ts';
import { UserError, run, printProgress } from './kernel/cli.ts';
import { makeStore } from './ops/store/make.ts';
import { resetRun, workflowTasks } from './ops/support/reset.ts';

async function findOrStart(): Promise<DemoTarget> {
  const known = developmentSystem();
  const answer = known && (await fetch(`${known.api}/health/ready`).catch(() => null));
  if (known && answer?.ok) return { system: known, store: await shopOf(known), close: async () => {} };
  if (!existsSync(join(root, 'simulator')))
    throw new UserError('The image holds no payment provider: set DATA_DIR to the folder of a system that `npm start` runs.');
  printProgress('No system runs here: starting one for the demo.');
  const system = await temporarySystem('demo', { firstPort: 3400, durable: false });
  return { system, store: await shopOf(system), close: system.stop };
}

/** Each demo creates a store, so that it can be repeated; its payments are real, because tests earn no points and are not reviewed. */
function shopOf({ databaseUrl, env }: DevelopmentSystem): Promise<CreatedStore> {
  const request = { code: `day-${Date.now().toString(36)}`, name: '어느 상점의 하루', sandbox: true, live: true, withProduct: false };
  return makeStore(databaseUrl, request, env['SEALING_KEYS']);
}

async function runDemo(target: DemoTarget): Promise<void> {
  const day = new Day(target, await Seller.login(target.system.api, target.store));
  const receiver = createServer((request, response) => {
    if (!day.receiverIsDown) day.heard.push(String(request.headers['svc-event-type']));
    response.writeHead(day.receiverIsDown ? 503 : 200).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  try {
    await openShop(day, `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`);
    await buy(day);
    await cancelOne(day);
    await recover(day);
    await ship(day);
    await claim(day);
    await points(day);
    await flows(day);
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
}

async function openShop(day: Day, url: string): Promise<void> {
  print('\n1. The shop opens: a product with two colours, and a webhook whose receiver is down');
  const { categoryId } = await day.sell('POST', '/v1/categories', { name: '겨울' });
  const product = await day.sell('POST', '/v1/products', {
    name: '양모 머플러',
    salePrice: 10_000,
    categoryId,
    optionGroups: [{ name: '색상', values: ['회색', '남색'] }],
    variants: [{ optionValues: ['회색'], stockQuantity: 10 }],
  });
  day.product = { productId: product.productId as string, optionId: product.variants[0].variantId as string };
  hold('product with 2 variants, 10 in stock', product.variants.length === 2 && (await day.stock()) === 10, product);
  const hook = await day.sell('POST', '/v1/webhooks', {
    url,
    eventTypes: [...ITEM_EVENTS, ...CLAIM_EVENTS, ...REVIEW_EVENTS, 'ORDER.CANCELED'],
  });
  day.webhookId = hook.webhookId as string;
}

async function buy(day: Day): Promise<void> {
  print('\n2. A buyer pays for three; the card is declined, the second try goes through');
  const { system, store } = day.target;
  const buyer = await Buyer.arrive(system.api, store.storeCode);
  const checkout = await buyer.call('POST', '/storefront/v1/checkout', { items: [{ ...day.product, quantity: 3 }] });
  const started = (await buyer.start(checkout.body.data.checkoutId as string, RETURN)).body.data as { paymentId: string; payUrl: string };
  const { paymentId } = started;
  day.link(workflowIdOf('payment', store.storeId, paymentId));
  await pay(started.payUrl, '4111111111110001');
  const declined = (await buyer.status(paymentId)).body.data;
  const isOpen = declined.result === 'FAILED' && declined.status === 'pending' && (await day.stock()) === 10;
  hold(`declined: ${declined.lastFailure?.message}`, isOpen, declined);
  const attempt = await buyer.call('POST', `/storefront/v1/payments/${paymentId}/attempts`, { option: OPTION });
  await pay(attempt.body.data.payUrl as string);
  const paid = (await buyer.status(paymentId)).body.data as { result: string; orderId: string; orderNo: string };
  hold(`paid: order ${paid.orderNo}, 7 left in stock`, paid.result === 'COMPLETED' && (await day.stock()) === 7, paid);
  const order = await day.sell('GET', `/v1/orders/${paid.orderId}`);
  day.payment = { paymentId, orderId: paid.orderId, orderNo: paid.orderNo };
  day.item = {
    orderItemId: order.items[0].orderItemId as string,
    workflowId: workflowIdOf('orderItem', store.storeId, `${paid.orderNo}01`),
  };
  day.link(day.item.workflowId);
}

async function cancelOne(day: Day): Promise<void> {
  print('\n3. One of the three is damaged: canceled in part, paid back by the payment’s own workflow');
  const canceled = await day.act('cancel', { reason: 'OUT_OF_STOCK', quantity: 1 });
  hold(
    `${canceled.refundAmount} won to be paid back, stock back to 8`,
    canceled.refundAmount === 10_000 && (await day.stock()) === 8,
    canceled,
  );
  await day.refunded(day.payment.paymentId);
}

async function recover(day: Day): Promise<void> {
  print('\n4. The webhook’s receiver comes back: what it missed arrives with the next attempt');
  const failures = await until('failed attempts', async () => {
    const { items } = await day.sell('GET', `/v1/webhooks/${day.webhookId}/deliveries`);
    const deliveries = items as { status: string; deliveryId: string }[];
    return deliveries.length >= 2 && deliveries.every(({ status }) => status === 'PENDING_RETRY') && deliveries;
  });
  day.link(workflowIdOf('webhookDelivery', day.target.store.storeId, failures[0]!.deliveryId));
  day.receiverIsDown = false;
  await day.sell('POST', '/v1/sandbox/clock', { advance: 'PT2M' });
  const isHeard = day.heard.includes('ORDER.PAID') && day.heard.includes('ORDER.CANCELED');
  hold(`${failures.length} deliveries wait for the retry, and arrive a minute later`, isHeard, day.heard);
}

async function ship(day: Day): Promise<void> {
  print('\n5. Shipped; its workflow hangs and is reset; the clock delivers and decides');
  const { orderItemId, workflowId } = day.item;
  await day.act('confirm');
  await day.act('dispatch', { deliveryMethod: 'COURIER', carrierCode: 'CJ', trackingNumber: '123456789012' });
  const { temporalAddress: address, temporalNamespace: namespace } = day.target.system;
  const temporal = new Client({ connection: await Connection.connect({ address }), namespace });
  const runId = await resetRun(temporal, workflowId, (await workflowTasks(temporal, workflowId))[0]!, 'demo');
  await temporal.connection.close();
  const after = await day.sell('GET', `/v1/order-items/${orderItemId}`);
  const isSame = after.status === 'DISPATCHED' && after.canceledQuantity === 1;
  hold(`reset to its first task as run ${runId}: still DISPATCHED, nothing repeated`, isSame, after);
  day.link(workflowId);
  const clock = await day.sell('POST', '/v1/sandbox/clock', { advance: 'P20D' });
  const decided = await day.sell('GET', `/v1/order-items/${orderItemId}`);
  const isDecided = clock.settled === true && decided.status === 'PURCHASE_DECIDED';
  hold(`delivered after 7 days and decided after 14 (now ${clock.now})`, isDecided, decided);
  const { heard } = day;
  await until('all events', async () => ITEM_EVENTS.every((type) => heard.includes(type)));
  hold(`the shop’s own system heard of everything: ${heard.join(', ')}`, heard.filter((type) => type === 'ORDER.PAID').length === 1, heard);
}

await run(async () => {
  const target = await findOrStart();
  try {
    await runDemo(target);
    print('\nEvery step was seen to hold.');
  } finally {
    await target.close();
  }
  return 0;
});
