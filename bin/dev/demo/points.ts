/** The demo's chapters about points: a member earns them for a purchase and a review, pays with them, gets them back and loses them. */
import { Buyer } from '../client.ts';
import { until } from '../until.ts';
import { type Day, hold, print } from './day.ts';

interface Shopper {
  readonly member: Buyer;
  readonly customerId: string;
}
export const REVIEW_EVENTS = ['REVIEW.CREATED'];
const TEXT_POINT = 500;
const EXPIRY_DAYS = 30;

export async function points(day: Day): Promise<void> {
  const shopper = await joinShop(day);
  const reviewId = await earn(day, shopper);
  const orderItemId = await use(day, shopper);
  await lose(day, shopper, orderItemId, reviewId);
}

/** The seller finds the new member in the list of customers. */
async function joinShop(day: Day): Promise<Shopper> {
  const { system, store } = day.target;
  const email = `points-${Date.now().toString(36)}@example.com`;
  const member = await Buyer.join(system.api, store.storeCode, email);
  const { items } = await day.sell('GET', `/v1/customers?keyword=${encodeURIComponent(email)}`);
  return { member, customerId: items[0].customerId as string };
}

async function earn(day: Day, { member, customerId }: Shopper): Promise<string> {
  print('\n8. Points: a purchase and a review earn some, and the seller grants a few');
  const policy = await day.sell('PUT', '/v1/store/point-policy', {
    reviewReward: { enabled: true, textPoint: TEXT_POINT, photoPoint: 1000 },
    purchaseEarn: { enabled: true, rateBp: 100 },
    use: { enabled: true, unit: 100 },
    expiryDays: EXPIRY_DAYS,
  });
  hold('a scarf of 10,000 won earns 1 %, a review 500 points', policy.purchaseEarn.rateBp === 100, policy);
  const { orderItemId } = await day.buyAs(member, 1);
  await day.deliver(orderItemId);
  await member.call('POST', `/storefront/v1/me/order-items/${orderItemId}/decide`, {});
  const review = { orderItemId, rating: 5, content: '아주 따뜻합니다' };
  const written = await member.call('POST', `/storefront/v1/products/${day.product.productId}/reviews`, review);
  hold('decided: 100 points; reviewed: 500', written.body.data?.rewardPoint === TEXT_POINT, written.body);
  const path = `/v1/customers/${customerId}/points/adjustments`;
  const key = { 'idempotency-key': `welcome-${customerId}` };
  for (let i = 0; i < 2; i++) await day.seller.call('POST', path, { amount: 1000, reason: '첫 구매 감사' }, key);
  const { balance } = await day.sell('GET', `/v1/customers/${customerId}/points`);
  hold('granted 1,000 twice under one key: once; the balance is 1,600', balance === 1600, balance);
  await until('the event of the review', async () => REVIEW_EVENTS.every((type) => day.heard.includes(type)));
  return written.body.data.reviewId as string;
}

async function use(day: Day, { member, customerId }: Shopper): Promise<string> {
  print('\n9. The next scarf is paid with points, and the rest in cash');
  const checkout = await member.call('POST', '/storefront/v1/checkout', { items: [{ ...day.product, quantity: 1 }] });
  const { checkoutId } = checkout.body.data as { checkoutId: string };
  const previewed = await member.call('POST', `/storefront/v1/checkout/${checkoutId}/pricing`, { pointAmount: 1650 });
  const { amounts } = previewed.body.data as { amounts: { pointAmount: number; totalAmount: number } };
  hold('1,650 requested of 1,600: the preview uses 1,600', amounts.pointAmount === 1600 && amounts.totalAmount === 11_400, previewed.body);
  const { orderId, orderItemId, paymentId } = await day.pay(member, checkoutId, { pointAmount: 1600 });
  const order = await day.sell('GET', `/v1/orders/${orderId}`);
  const { balance } = await day.sell('GET', `/v1/customers/${customerId}/points`);
  hold(
    '11,400 won paid in cash, delivery included, and no point left',
    order.amounts.totalAmount === 11_400 && balance === 0,
    order.amounts,
  );
  const canceled = await day.sell('POST', `/v1/order-items/${orderItemId}/cancel`, { reason: 'OUT_OF_STOCK' });
  hold(
    'canceled: 11,400 won and 1,600 points go back, each where it came from',
    canceled.refundAmount === 11_400 && canceled.pointRefundAmount === 1600,
    canceled,
  );
  await day.refunded(paymentId);
  return orderItemId;
}

async function lose(day: Day, { member, customerId }: Shopper, canceledItemId: string, reviewId: string): Promise<void> {
  print('\n10. The review is deleted; a month later the rest of the points has expired');
  await member.call('DELETE', `/storefront/v1/me/reviews/${reviewId}`);
  const { balance } = await day.sell('GET', `/v1/customers/${customerId}/points`);
  hold('its 500 points are taken back: 1,100 are left', balance === 1100, balance);
  const clock = await day.sell('POST', '/v1/sandbox/clock', { advance: `P${EXPIRY_DAYS + 1}D` });
  const { items } = await day.sell('GET', `/v1/customers/${customerId}/points/history?size=100`);
  const entries = items as { type: string; amount: number; balance: number; orderItemId: string | null }[];
  for (const { type, amount, balance: after } of entries.toReversed())
    print(`    ${type.padEnd(14)} ${String(amount).padStart(6)}  →${String(after).padStart(6)}`);
  const isEmpty = clock.settled === true && entries[0]!.type === 'EXPIRE' && entries[0]!.balance === 0;
  hold('everything is in the member’s history, and nothing is left', isEmpty, entries);
  const restored = entries.filter(({ type }) => type === 'REFUND_RESTORE');
  hold('points came back once', restored.length === 1 && restored[0]!.orderItemId === canceledItemId, restored);
}
