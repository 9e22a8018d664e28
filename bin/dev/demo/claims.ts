/** The demo's chapters about claims: a member returns one of two scarves and exchanges the other. */
import { workflowIdOf } from '../../../workflows/kernel/messages.ts';
import { Buyer } from '../client.ts';
import { until } from '../until.ts';
import { type Day, hold, print } from './day.ts';

interface Bought {
  readonly member: Buyer;
  readonly paymentId: string;
  readonly orderItemId: string;
}
export const CLAIM_EVENTS = ['CLAIM.RETURN_REQUESTED', 'CLAIM.EXCHANGE_REQUESTED', 'CLAIM.COMPLETED'];

export async function claim(day: Day): Promise<void> {
  const bought = await buyTwo(day);
  await returnOne(day, bought);
  await exchangeOther(day, bought);
  const count = (type: string) => day.heard.filter((one) => one === type).length;
  await until('events of claims', async () => count('CLAIM.COMPLETED') === 2);
  hold(
    'the shop’s own system heard of both claims',
    CLAIM_EVENTS.every((type) => count(type) > 0) && count('ORDER.CANCELED') === 1,
    day.heard,
  );
}

async function buyTwo(day: Day): Promise<Bought> {
  const { system, store } = day.target;
  const member = await Buyer.join(system.api, store.storeCode);
  const { paymentId, orderItemId } = await day.buyAs(member, 2);
  await day.deliver(orderItemId);
  return { member, paymentId, orderItemId };
}

/** Files a claim of one unit; answers how to command it. */
async function file(day: Day, { member, orderItemId }: Bought, request: object) {
  const filed = await member.call('POST', `/storefront/v1/me/order-items/${orderItemId}/claims`, { ...request, quantity: 1 });
  if (filed.body.error) throw new Error(`claim: ${filed.body.error.code}`);
  const { claimId, claimNo } = filed.body.data as { claimId: string; claimNo: string };
  day.link(workflowIdOf('claim', day.target.store.storeId, claimNo));
  return (action: string, body: object = {}) => day.seller.call('POST', `/v1/claims/${claimId}/${action}`, body);
}

async function returnOne(day: Day, bought: Bought): Promise<void> {
  print('\n6. A member returns one of two scarves: collected, found damaged, paid back');
  const { member, orderItemId, paymentId } = bought;
  const request = { type: 'RETURN', reason: 'DEFECTIVE', detail: '올이 풀려 있습니다' };
  const previewed = await member.call('POST', `/storefront/v1/me/order-items/${orderItemId}/claims/preview`, { ...request, quantity: 1 });
  const expected = previewed.body.data as { expectedRefundAmount: number };
  hold('a preview tells that 10,000 won would come back', expected.expectedRefundAmount === 10_000, previewed.body);
  const command = await file(day, bought, request);
  await command('collect', { method: 'SELLER_PICKUP', carrierCode: 'CJ' });
  await day.sell('POST', '/v1/sandbox/clock', { advance: 'P6D' });
  const resting = await day.sell('GET', `/v1/order-items/${orderItemId}`);
  const isResting = resting.status === 'DELIVERED' && resting.autoDecisionDate === null && resting.claims[0].status === 'COLLECTING';
  hold('six days later its deadlines rest: nothing is decided while the claim is open', isResting, resting);
  const before = await day.stock();
  await command('collect/complete', { soundQuantity: 0, damagedQuantity: 1, missingQuantity: 0, note: '올 풀림 확인' });
  const { body } = await command('approve');
  const isPaidBack = body.data?.refundAmount === 10_000 && (await day.stock()) === before;
  hold('damaged: 10,000 won go back, and nothing to stock', isPaidBack, body);
  await day.refunded(paymentId);
}

async function exchangeOther(day: Day, bought: Bought): Promise<void> {
  print('\n7. The other one is exchanged for navy blue, which is sold out at first');
  const { productId, optionId } = day.product;
  const { variants } = (await day.sell('GET', `/v1/products/${productId}`)) as { variants: { variantId: string }[] };
  const navy = variants.find(({ variantId }) => variantId !== optionId)!.variantId;
  const command = await file(day, bought, { type: 'EXCHANGE', reason: 'OPTION_CHANGE', exchangeOptionId: navy });
  await command('collect', { method: 'BUYER_SEND' });
  const before = await day.stock();
  await command('collect/complete');
  hold('the one that came back is sound, and in stock again', (await day.stock()) === before + 1, await day.stock());
  const shipment = { carrierCode: 'CJ', trackingNumber: '123456789012' };
  const refused = await command('redelivery', shipment);
  hold('navy blue cannot be sent yet', refused.body.error?.code === 'OUT_OF_STOCK', refused.body);
  await day.sell('PATCH', `/v1/products/${productId}/variants/${navy}/stock`, { adjustment: 1, reason: '입고' });
  const sent = await command('redelivery', shipment);
  const completed = await command('complete-exchange');
  const isCompleted = sent.body.data?.status === 'REDELIVERING' && completed.body.data?.status === 'COMPLETED';
  hold('one came in and is sent; the exchange is complete', isCompleted, [sent.body, completed.body]);
  const item = await day.sell('GET', `/v1/order-items/${bought.orderItemId}`);
  const { refunds } = await day.sell('GET', `/v1/payments/${bought.paymentId}`);
  const isOver = item.status === 'EXCHANGED' && item.activeQuantity === 0 && refunds.length === 1;
  hold('the item is EXCHANGED; the exchange moved no money', isOver, [item, refunds]);
}
