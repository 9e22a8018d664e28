/**
 * One item, bought, canceled in part, shipped and decided, with a flaky receiver and one that is deleted, approval requests, claims, and
 * everything about its store that SQL and the provider can see.
 */
import type { Client } from '@temporalio/client';
import { call, ITEM_EVENTS } from '../../../bin/dev/client.ts';
import type { TableName } from '../../../db/orm.ts';
import type { WorkflowType } from '../../../workflows/kernel/messages.ts';
import { Desk } from '../../kernel/approvals.ts';
import { people, storeToken } from '../../kernel/login.ts';
import { query, Receiver, temporalClient, underTest, until, type World, world } from '../../kernel/world.ts';

export interface Story {
  readonly shop: World;
  readonly receiver: Receiver;
  readonly orderItemId: string;
  readonly workflowIds: readonly string[];
}

/** The receiver refuses its first request, so that a delivery has a retry in its history. */
export async function story(): Promise<Story> {
  const shop = await world();
  let refusals = 1;
  const receiver = await Receiver.listen((_, response) => void response.writeHead(refusals-- > 0 ? 500 : 200).end());
  await shop.seller.call('POST', '/v1/webhooks', { url: receiver.url, eventTypes: ITEM_EVENTS });
  const dead = (await shop.seller.call('POST', '/v1/webhooks', { url: 'http://127.0.0.1:9/', eventTypes: ['ORDER.PAID'] })).body.data;
  const { orderItemId } = await shop.order(undefined, 2);
  for (const { play } of Object.values(CHAPTERS)) if (typeof play === 'function') await play(shop);
  await shop.act(orderItemId, 'cancel', { reason: 'OUT_OF_STOCK', quantity: 1 });
  await shop.act(orderItemId, 'confirm');
  await shop.act(orderItemId, 'dispatch', { deliveryMethod: 'COURIER', carrierCode: 'CJ', trackingNumber: '1234' });
  await shop.advance('P20D');
  await shop.seller.call('DELETE', `/v1/webhooks/${String(dead.webhookId)}`);
  await until('deleted', async () => (await query('SELECT 1 FROM webhook WHERE webhook_id = $1', [dead.webhookId])).length === 0);
  const runs = await query<{ workflow_id: string; done_at: Date | null }>(
    'SELECT workflow_id, done_at FROM run WHERE store_id = $1 ORDER BY workflow_id',
    [shop.store.storeId],
  );
  if (runs.some((run) => run.done_at === null)) throw new Error('the story has not ended');
  return { shop, receiver, orderItemId, workflowIds: runs.map((run) => run.workflow_id) };
}

interface Chapter {
  /** Of the rows that runs of the type own: a snapshot has them. */
  readonly table: TableName;
  /** What the story plays for them before it goes on with its order; or where else it does. */
  readonly play: ((shop: World) => Promise<unknown>) | 'with the order' | 'with its webhooks' | 'with approvals';
}
/** Each workflow type in the story. */
const CHAPTERS: Readonly<Record<WorkflowType, Chapter>> = {
  payment: { table: 'payment', play: 'with the order' },
  orderItem: { table: 'order_item', play: 'with the order' },
  webhookDelivery: { table: 'webhook_delivery', play: 'with its webhooks' },
  webhookSubscription: { table: 'webhook', play: 'with its webhooks' },
  invitation: { table: 'invitation', play: invitations },
  approval: { table: 'approval_request', play: approvals },
  approvalNotice: { table: 'approval_notice', play: 'with approvals' },
  claim: { table: 'claim', play: claims },
  orderGroup: { table: 'flow_group', play: together },
};

/** An order that moves as a group; the clock decides it. */
async function together(shop: World): Promise<void> {
  const { body } = await shop.seller.call('POST', '/v1/commerce-flows', { key: 'food', name: 'canary flow', presetKey: 'food-delivery' });
  const { flowId } = body.data as { flowId: string };
  await shop.seller.call('POST', `/v1/commerce-flows/${flowId}/draft/publish`);
  const { orderItemId } = await shop.order(await shop.product({ flowId }));
  await shop.act(orderItemId, 'actions/accept', { input: { minutes: '30' } });
  await shop.act(orderItemId, 'actions/depart', { input: { deliveryMethod: 'DIRECT' } });
  await shop.act(orderItemId, 'actions/arrive');
}
/** One whose mail goes at once, and one whose mail is tried four times; the clock ends both. */
async function invitations(shop: World): Promise<void> {
  const { storeId, storeCode } = shop.store;
  await people(shop);
  const headers = { authorization: `Bearer ${await storeToken(`owner@${storeCode}.example`, storeId)}` };
  for (const name of ['canary', 'later']) {
    const body = { email: `${name}@${storeCode}.example`, role: 'STAFF' };
    const { status } = await call(underTest.api, 'POST', '/v1/store/invitations', { body, headers });
    if (status !== 201) throw new Error(`invitation: ${status}`);
  }
}
/** One that is approved and carried out, and one that expires with the clock. */
async function approvals(shop: World): Promise<void> {
  const desk = await Desk.open(shop);
  const agent = await desk.agent();
  const [approved] = [await desk.created(agent, CATEGORY), await desk.created(agent, CATEGORY)];
  const { status, body } = await desk.decide(approved, 'approve');
  if (body.data?.status !== 'SUCCEEDED') throw new Error(`approval: ${status} ${JSON.stringify(body)}`);
  await desk.close();
}
/** One that is held until its time is over and rejected after its collection, and one that is paid back. */
async function claims(shop: World): Promise<void> {
  const buyer = await shop.member();
  const { orderItemId } = await shop.order(undefined, 2, buyer);
  await shop.act(orderItemId, 'confirm');
  await shop.act(orderItemId, 'dispatch', { deliveryMethod: 'DIRECT' });
  const act = (claimId: string, action: string, body: object = {}) => shop.seller.call('POST', `/v1/claims/${claimId}/${action}`, body);
  const returned = async (quantity: number, isHeld: boolean) => {
    const wanted = { type: 'RETURN', reason: 'DEFECTIVE', detail: 'canary detail', quantity };
    const filed = await buyer.call('POST', `/storefront/v1/me/order-items/${orderItemId}/claims`, wanted);
    const { claimId } = filed.body.data as { claimId: string };
    if (isHeld) await act(claimId, 'hold', { reason: 'canary reason' });
    if (isHeld) await shop.advance('P8D');
    await act(claimId, 'collect', { method: 'SELLER_PICKUP', carrierCode: 'CJ', trackingNumber: 'canary-1' });
    const units = { soundQuantity: quantity, damagedQuantity: 0, missingQuantity: 0 };
    await act(claimId, 'collect/complete', { ...units, note: 'canary note' });
    return claimId;
  };
  const explanation = 'canary explanation';
  const rejected = await act(await returned(1, true), 'reject', { reason: 'USAGE_TRACES', explanation });
  const approved = await act(await returned(2, false), 'approve');
  if (rejected.status !== 200 || approved.status !== 200) throw new Error(`claims: ${rejected.status}, ${JSON.stringify(approved.body)}`);
}
const CATEGORY = { id: 'categories.create', body: { name: 'canary' } };
/** What was mailed to people of this store. */
const mails = async ({ store }: World) =>
  ((await call(underTest.simulator, 'GET', '/__sim/mail')).body as unknown as { to: string }[]).filter(({ to }) =>
    to.includes(store.storeCode),
  );

/** Money, stock, orders, steps, events and deliveries of a store, and what the provider charged. */
export async function snapshot(shop: World): Promise<object> {
  const { store } = shop;
  const tables: readonly TableName[] = [
    'payment_attempt',
    'refund',
    'order_bundle',
    'orders',
    'flow_step',
    'variant',
    'stock_movement',
    'claim_step',
    'event',
    'category',
    'member',
    ...Object.values(CHAPTERS).map(({ table }) => table),
  ];
  const rows = await Promise.all(tables.map((table) => query(`SELECT * FROM ${table} WHERE store_id = $1 ORDER BY 2, 3`, [store.storeId])));
  const keys = new Set((rows[0] as { payment_key: string }[]).map((attempt) => attempt.payment_key));
  const ledger = (await call(underTest.simulator, 'GET', '/__sim/payments')).body as unknown as { paymentKey: string }[];
  return {
    ...Object.fromEntries(tables.map((table, i) => [table, rows[i]])),
    mails: await mails(shop),
    ledger: ledger.filter(({ paymentKey }) => keys.has(paymentKey)),
  };
}

/** Waits until a run is closed, or open with nothing left to do. */
export async function atRest(workflowId: string): Promise<void> {
  const client: Client = await temporalClient();
  await until(`${workflowId} at rest`, async () => {
    const { status, raw } = await client.workflow.getHandle(workflowId).describe();
    return (
      status.name === 'COMPLETED' || (status.name === 'RUNNING' && !raw.pendingWorkflowTask && (raw.pendingActivities ?? []).length === 0)
    );
  });
}
