/** All paths through the workflows, driven over HTTP; each returns the workflow id whose history is recorded. */
import type { ServerResponse } from 'node:http';
import { call, pay, type Reply } from '../../bin/dev/client.ts';
import { Desk } from '../kernel/approvals.ts';
import { linkIn, loginAs, mailTo, people, storeToken } from '../kernel/login.ts';
import { manyWaiting } from '../kernel/deliveries.ts';
import { query, temporalClient, underTest, until, type World, world } from '../kernel/world.ts';
import type { WorkflowType } from '../../workflows/kernel/messages.ts';
import { atRest } from '../system/runs/story.ts';
import { orderCalling, timedOutBesideCall } from './asking.ts';

const closed = async (workflowId: string): Promise<string> => {
  await atRest(workflowId);
  return workflowId;
};
const itemRun = async ({ store }: World, orderItemId: string) => {
  const [row] = await query<{ workflow_id: string }>('SELECT workflow_id FROM run WHERE entity_id = $1', [orderItemId]);
  const loaded = () => query('SELECT 1 FROM run WHERE entity_id = $1 AND loaded_at IS NOT NULL', [orderItemId]);
  await until('loaded', async () => (await loaded()).length === 1);
  return row?.workflow_id ?? `order-item/${store.storeId}/?`;
};
const dispatched = async (shop: World) => {
  const { orderItemId } = await shop.order();
  await shop.act(orderItemId, 'confirm');
  await shop.act(orderItemId, 'dispatch', { deliveryMethod: 'COURIER', carrierCode: 'CJ', trackingNumber: '1234' });
  return orderItemId;
};
const payment = async (card: string | null, outcome = 'pay', afterwards: (shop: World) => Promise<unknown> = async () => {}) => {
  const shop = await world();
  const { paymentId, payUrl } = await shop.payment();
  if (card !== null) await pay(payUrl, card, outcome).catch(() => null);
  await afterwards(shop);
  return closed(`payment/${shop.store.storeId}/${paymentId}`);
};
const refunded = async (card: string) => {
  const shop = await world();
  const { buyer, paymentId, payUrl } = await shop.payment();
  await pay(payUrl, card);
  const { orderId } = (await buyer.status(paymentId)).body.data as { orderId: string };
  const order = await shop.seller.call('GET', `/v1/orders/${orderId}`);
  await shop.act(order.body.data.items[0].orderItemId as string, 'cancel', { reason: 'OTHER' });
  await shop.advance('PT10M');
  return closed(`payment/${shop.store.storeId}/${paymentId}`);
};
const PORTONE = '/v1/store/payment-providers/portone';
/** The same at PortOne, whose keys the owner has stored and verified. */
const atPortone = async (card: string, isCanceled = false) => {
  const shop = await world();
  await people(shop);
  const { storeId, storeCode } = shop.store;
  const headers = { authorization: `Bearer ${await storeToken(`owner@${storeCode}.example`, storeId)}` };
  const keys = { storeId: 'store-histories', channelKey: 'channel-key-histories', apiSecret: 'portone-histories-secret' };
  await call(underTest.api, 'PUT', PORTONE, { body: { environment: 'TEST', ...keys }, headers });
  await call(underTest.api, 'POST', `${PORTONE}/verify`, { body: {}, headers });
  const buyer = await shop.buyer();
  const { checkoutId } = (await buyer.checkout((await shop.product()).productId)).body.data as { checkoutId: string };
  const start = await buyer.start(checkoutId, { option: { pg: 'portone', method: 'CARD' } });
  const { paymentId, payUrl } = start.body.data as { paymentId: string; payUrl: string };
  await pay(payUrl, card);
  const orderId = await until('the order', async () => (await buyer.status(paymentId)).body.data.orderId as string | null);
  const order = await shop.seller.call('GET', `/v1/orders/${orderId}`);
  if (isCanceled) {
    await shop.act(order.body.data.items[0].orderItemId as string, 'cancel', { reason: 'OTHER' });
    const done = () => query(`SELECT 1 FROM refund WHERE payment_id = $1 AND status = 'DONE'`, [paymentId]);
    await until('paid back', async () => (await done()).length > 0);
  }
  return closed(`payment/${storeId}/${paymentId}`);
};
const delivery = async (answer: (n: number, response: ServerResponse) => void, advance: string | null) => {
  const shop = await world();
  let n = 0;
  const receiver = await shop.receiver((_, response) => answer(n++, response));
  await shop.order();
  await until('first attempt', async () => receiver.received.length > 0);
  if (advance !== null) await shop.advance(advance);
  receiver.close();
  const [row] = await shop.deliveries(receiver.webhookId);
  return closed(`webhook/${shop.store.storeId}/${String(row!['deliveryId'])}`);
};

type Afterwards = (shop: World, email: string, request: SendRequest, id: string) => Promise<unknown>;
const invitation = async (address: string, afterwards: Afterwards) => {
  const shop = await world();
  await people(shop);
  const { storeId, storeCode } = shop.store;
  const owner = await storeToken(`owner@${storeCode}.example`, storeId);
  const request: SendRequest = (method, path, body, token = owner) =>
    call(underTest.api, method, path, { body, headers: { authorization: `Bearer ${token}` } });
  const email = `${address}@${storeCode}.example`;
  const { invitationId } = (await request('POST', '/v1/store/invitations', { email, role: 'STAFF' })).body.data as { invitationId: string };
  await afterwards(shop, email, request, invitationId);
  return closed(`invitation/${storeId}/${invitationId}`);
};
type SendRequest = (method: string, path: string, body?: unknown, token?: string) => Promise<Reply>;
const tried = (invitationId: string) =>
  until('first mail', async () => {
    const sent = await query('SELECT 1 FROM invitation WHERE invitation_id = $1 AND send_attempts > 0', [invitationId]);
    return sent.length > 0;
  });

/** Requests of an agent, the second after the first was mailed. */
async function filed(n: number): Promise<{ desk: Desk; shop: World; ids: string[] }> {
  const shop = await world();
  const desk = await Desk.open(shop);
  const agent = await desk.agent();
  const ids: string[] = [];
  while (ids.length < n) {
    ids.push(await desk.created(agent, { id: 'categories.create', body: { name: `${ids.length}` } }));
    await mailTo(desk.email('owner'));
  }
  await desk.close();
  return { desk, shop, ids };
}
const approval = async (decide: (desk: Desk, approvalId: string) => Promise<unknown>): Promise<string> => {
  const { desk, shop, ids } = await filed(1);
  await decide(desk, ids[0]!);
  return closed(`approval/${shop.store.storeId}/${ids[0]}`);
};

/** Adds waiting deliveries like the existing one; their runs have no workflow. */
const many = async (webhookId: string, n: number): Promise<void> => {
  for (const text of manyWaiting(webhookId, n)) await query(text);
};
const subscriptionRun = async ({ store }: World, webhookId: string): Promise<string> => {
  const workflowId = `webhook-subscription/${store.storeId}/${webhookId}`;
  const isDone = async () =>
    (await query('SELECT 1 FROM run WHERE workflow_id = $1 AND done_at IS NOT NULL', [workflowId])).length > 0;
  await until('done', isDone);
  return closed(workflowId);
};

/** A member's claim of an item in CONFIRMED, or in DISPATCHED where it is sent back. */
async function claimed(type: 'CANCEL' | 'RETURN' | 'EXCHANGE') {
  const shop = await world();
  const buyer = await shop.member();
  const { orderItemId } = await shop.order(undefined, 1, buyer);
  await shop.act(orderItemId, 'confirm');
  if (type !== 'CANCEL') await shop.act(orderItemId, 'dispatch', { deliveryMethod: 'DIRECT' });
  const filed = await buyer.call('POST', `/storefront/v1/me/order-items/${orderItemId}/claims`, { type, reason: 'CHANGE_OF_MIND' });
  const { claimId, claimNo } = filed.body.data as { claimId: string; claimNo: string };
  return { shop, buyer, claimId, workflowId: `claim/${shop.store.storeId}/${claimNo}` };
}

/** Paths by workflow type and history name. The compiler demands an entry for every workflow type. */
export const paths: Readonly<Record<WorkflowType, Readonly<Record<string, () => Promise<string>>>>> = {
  orderGroup: {
    'order-group-brought': async () => {
      const shop = await world();
      const made = await shop.seller.call('POST', '/v1/commerce-flows', { key: 'food', name: '배달', presetKey: 'food-delivery' });
      const { flowId } = made.body.data as { flowId: string };
      await shop.seller.call('POST', `/v1/commerce-flows/${flowId}/draft/publish`);
      const { orderNo, orderItemId } = await shop.order(await shop.product({ flowId }));
      await shop.act(orderItemId, 'actions/accept', { input: { minutes: '30' } });
      await shop.act(orderItemId, 'actions/depart', { input: { deliveryMethod: 'DIRECT' } });
      await shop.advance('PT3H');
      await shop.advance('P2D');
      return closed(`order-group/${shop.store.storeId}/${orderNo}/food`);
    },
    'order-group-asking-a-service': async () => {
      const { shop, orderNo } = await orderCalling('ORDER_GROUP');
      return closed(`order-group/${shop.store.storeId}/${orderNo}/main`);
    },
    'order-group-timed-out-beside-a-call': async () => {
      const { shop, orderNo } = await timedOutBesideCall('ORDER_GROUP');
      return closed(`order-group/${shop.store.storeId}/${orderNo}/main`);
    },
  },
  orderItem: {
    'order-item-timed-out-beside-a-call': async () => {
      const { shop, orderItemId } = await timedOutBesideCall('ITEM');
      return closed(await itemRun(shop, orderItemId));
    },
    'order-item-asking-a-service': async () => {
      const { shop, orderItemId } = await orderCalling('ITEM');
      return closed(await itemRun(shop, orderItemId));
    },
    'order-item-by-the-clock': async () => {
      const shop = await world();
      const orderItemId = await dispatched(shop);
      await shop.advance('P20D');
      return closed(await itemRun(shop, orderItemId));
    },
    'order-item-delivered-by-the-seller': async () => {
      const shop = await world();
      const orderItemId = await dispatched(shop);
      await shop.act(orderItemId, 'delivered');
      await shop.advance('P8D');
      return closed(await itemRun(shop, orderItemId));
    },
    'order-item-open': async () => {
      const shop = await world();
      const { orderItemId } = await shop.order();
      await itemRun(shop, orderItemId);
      await shop.act(orderItemId, 'confirm');
      await shop.act(orderItemId, 'confirm');
      return closed(await itemRun(shop, orderItemId));
    },
    'order-item-tracked': async () => {
      const shop = await world();
      const { orderItemId } = await shop.order();
      const workflowId = await itemRun(shop, orderItemId);
      await shop.act(orderItemId, 'hold', { reason: 'late', expectedDispatchDate: '2030-01-01' });
      await shop.act(orderItemId, 'confirm');
      await shop.act(orderItemId, 'dispatch', { deliveryMethod: 'COURIER', carrierCode: 'CJ', trackingNumber: '9' });
      await shop.advance('PT9H');
      const corrected = { carrierCode: 'LOTTE', trackingNumber: '1' };
      await shop.seller.call('PUT', `/v1/order-items/${orderItemId}/dispatch/tracking`, corrected);
      await shop.advance('P2D');
      await shop.advance('P8D');
      return closed(workflowId);
    },
    'order-item-extended-and-decided': async () => {
      const shop = await world();
      const member = await shop.member();
      const { orderItemId } = await shop.order(undefined, 1, member);
      const workflowId = await itemRun(shop, orderItemId);
      await shop.act(orderItemId, 'confirm');
      await shop.act(orderItemId, 'dispatch', { deliveryMethod: 'DIRECT' });
      await shop.act(orderItemId, 'delivered');
      for (const action of ['extend', 'decide']) await member.call('POST', `/storefront/v1/me/order-items/${orderItemId}/${action}`, {});
      return closed(workflowId);
    },
    'order-item-canceled': async () => {
      const shop = await world();
      const { orderItemId } = await shop.order(undefined, 2);
      await shop.act(orderItemId, 'cancel', { reason: 'OTHER', quantity: 1 });
      await shop.act(orderItemId, 'confirm');
      await shop.act(orderItemId, 'cancel', { reason: 'OTHER' });
      return closed(await itemRun(shop, orderItemId));
    },
    'order-item-provided': async () => {
      const shop = await world();
      const { orderItemId } = await shop.order(await shop.product({ fulfillment: { type: 'MANUAL' } }));
      await shop.act(orderItemId, 'fulfill', { note: 'voucher' });
      await shop.advance('P8D');
      return closed(await itemRun(shop, orderItemId));
    },
    'order-item-stayed-and-canceled': async () => {
      const shop = await world();
      const room = await shop.product({ inventoryMode: 'DATED', stockQuantity: undefined, fulfillment: { type: 'MANUAL' } });
      const nights = { variantIds: [room.variantId], from: '2027-01-01', to: '2027-01-05', stock: 1 };
      await shop.seller.call('PUT', `/v1/products/${room.productId}/calendar`, nights);
      const buyer = await shop.buyer();
      const items = [{ productId: room.productId, quantity: 1, stay: { checkIn: '2027-01-02', checkOut: '2027-01-04' } }];
      const { checkoutId } = (await buyer.call('POST', '/storefront/v1/checkout', { items })).body.data as { checkoutId: string };
      const { payUrl, paymentId } = (await buyer.start(checkoutId)).body.data as { payUrl: string; paymentId: string };
      await pay(payUrl);
      const { orderId } = (await buyer.status(paymentId)).body.data as { orderId: string };
      const order = await shop.seller.call('GET', `/v1/orders/${orderId}`);
      const { orderItemId } = order.body.data.items[0] as { orderItemId: string };
      await itemRun(shop, orderItemId);
      await shop.act(orderItemId, 'cancel', { reason: 'OTHER' });
      return closed(await itemRun(shop, orderItemId));
    },
  },
  payment: {
    'payment-approved': () => payment('4111111111110000'),
    'payment-declined-then-expired': () => payment('4111111111110001', 'pay', (shop) => shop.advance('PT11M')),
    'payment-canceled-then-expired': () => payment('4111111111110000', 'cancel', (shop) => shop.advance('PT11M')),
    'payment-never-paid': () => payment(null, 'pay', (shop) => shop.advance('PT11M')),
    'payment-reply-lost': () => payment('4111111111110020'),
    'payment-charged-with-an-error': () => payment('4111111111110031'),
    'payment-not-charged-then-expired': () => payment('4111111111110030', 'pay', (shop) => shop.advance('PT25M')),
    'payment-refunded': () => refunded('4111111111110000'),
    'payment-refund-failed-twice': () => refunded('4111111111110040'),
    'payment-portone-approved': () => atPortone('4111111111110000'),
    'payment-portone-approved-by-itself': () => atPortone('4111111111110070'),
    'payment-portone-canceled-later': () => atPortone('4111111111110041', true),
  },
  claim: {
    'claim-canceled': async () => {
      const { shop, claimId, workflowId } = await claimed('CANCEL');
      await shop.seller.call('POST', `/v1/claims/${claimId}/approve`, {});
      return closed(workflowId);
    },
    'claim-held-then-withdrawn': async () => {
      const { shop, buyer, claimId, workflowId } = await claimed('CANCEL');
      await shop.seller.call('POST', `/v1/claims/${claimId}/hold`, { reason: '확인 중' });
      await shop.advance('P8D');
      await buyer.call('POST', `/storefront/v1/me/claims/${claimId}/withdraw`, {});
      return closed(workflowId);
    },
    'claim-returned': async () => {
      const { shop, claimId, workflowId } = await claimed('RETURN');
      await shop.seller.call('POST', `/v1/claims/${claimId}/collect`, { method: 'BUYER_SEND' });
      await shop.seller.call('POST', `/v1/claims/${claimId}/collect/complete`, {});
      await shop.seller.call('POST', `/v1/claims/${claimId}/approve`, {});
      return closed(workflowId);
    },
    'claim-exchanged': async () => {
      const { shop, claimId, workflowId } = await claimed('EXCHANGE');
      await shop.seller.call('POST', `/v1/claims/${claimId}/collect`, { method: 'BUYER_SEND' });
      await shop.seller.call('POST', `/v1/claims/${claimId}/collect/complete`, {});
      await shop.seller.call('POST', `/v1/claims/${claimId}/redelivery`, { carrierCode: 'CJ', trackingNumber: '12' });
      await shop.seller.call('POST', `/v1/claims/${claimId}/complete-exchange`, {});
      return closed(workflowId);
    },
    'claim-rejected-after-its-collection': async () => {
      const { shop, claimId, workflowId } = await claimed('RETURN');
      await shop.seller.call('POST', `/v1/claims/${claimId}/collect`, { method: 'BUYER_SEND' });
      await shop.seller.call('POST', `/v1/claims/${claimId}/collect/complete`, {});
      const explanation = '사용 흔적이 있어 반품할 수 없습니다.';
      await shop.seller.call('POST', `/v1/claims/${claimId}/reject`, { reason: 'USAGE_TRACES', explanation });
      return closed(workflowId);
    },
  },
  webhookDelivery: {
    'webhook-success': () => delivery((_, response) => void response.end('ok'), null),
    'webhook-retried': () => delivery((n, response) => void response.writeHead(n === 0 ? 500 : 200).end(), 'PT2M'),
    'webhook-deleted': async () => {
      const shop = await world();
      const receiver = await shop.receiver((_, response) => void response.writeHead(500).end());
      await shop.order();
      const [row] = await until('tried', async () => {
        const all = await shop.deliveries(receiver.webhookId);
        return all[0]?.['status'] === 'PENDING_RETRY' && all;
      });
      await shop.seller.call('DELETE', `/v1/webhooks/${receiver.webhookId}`);
      receiver.close();
      // The run is not woken: it loads its row when its next attempt is due, in a minute.
      const client = await temporalClient();
      const workflowId = `webhook/${shop.store.storeId}/${String(row!['deliveryId'])}`;
      await client.workflow.getHandle(workflowId).result();
      return workflowId;
    },
    'webhook-failed': () => delivery((_, response) => void response.writeHead(500).end(), 'P1D'),
  },
  approval: {
    'approval-carried-out': () => approval((desk, id) => desk.decide(id, 'approve', 'owner', { note: 'go' })),
    'approval-rejected': () => approval((desk, id) => desk.decide(id, 'reject')),
    'approval-expired': () => approval(({ shop }) => shop.advance('P2D')),
  },
  approvalNotice: {
    'approval-notice-of-two-rounds': async () => {
      const { shop } = await filed(2);
      await shop.advance('PT1H');
      return closed(`approval-notice/${shop.store.storeId}/${shop.store.storeId}`);
    },
  },
  webhookSubscription: {
    'webhook-subscription-deleted': async () => {
      const shop = await world();
      const receiver = await shop.receiver();
      await shop.order();
      await until('delivered', async () => (await shop.deliveries(receiver.webhookId))[0]?.['status'] === 'SUCCESS');
      await many(receiver.webhookId, 1200);
      await shop.seller.call('DELETE', `/v1/webhooks/${receiver.webhookId}`);
      receiver.close();
      return subscriptionRun(shop, receiver.webhookId);
    },
    'webhook-subscription-suspended': async () => {
      const shop = await world();
      const receiver = await shop.receiver((_, response) => void response.writeHead(500).end());
      await shop.order();
      await until('tried', async () => (await shop.deliveries(receiver.webhookId))[0]?.['status'] === 'PENDING_RETRY');
      await many(receiver.webhookId, 1200);
      const since = `UPDATE webhook SET first_failure_at = first_failure_at - interval '24 hours' WHERE webhook_id = $1`;
      await query(since, [receiver.webhookId]);
      await shop.advance('PT2M');
      receiver.close();
      return subscriptionRun(shop, receiver.webhookId);
    },
  },
  invitation: {
    'invitation-accepted': () =>
      invitation('guest', async (_, email, request, id) => {
        await tried(id);
        const { user } = await loginAs(email);
        await request('POST', '/v1/invitations/accept', { token: linkIn(await mailTo(email)) }, user.access_token);
      }),
    'invitation-expired-then-canceled': () =>
      invitation('guest', async (shop, _, request, id) => {
        await tried(id);
        await request('POST', `/v1/store/invitations/${id}/resend`);
        await shop.advance('P8D');
        await request('POST', `/v1/store/invitations/${id}/resend`);
        await request('DELETE', `/v1/store/invitations/${id}`);
      }),
    'invitation-tried-four-times': () =>
      invitation('later', async (shop, _, __, id) => {
        await tried(id);
        await shop.advance('P8D');
      }),
    'invitation-refused': () =>
      invitation('refuse', async (shop, _, __, id) => {
        await tried(id);
        await shop.advance('P8D');
      }),
  },
};
