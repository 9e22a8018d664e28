/** The demo's chapters about order flows: a scarf made to order by a flow that changes under way, and dishes that are brought together. */
import { workflowIdOf } from '../../../workflows/kernel/messages.ts';
import { Buyer } from '../client.ts';
import { type Day, hold, print, type Purchase } from './day.ts';

export async function flows(day: Day): Promise<void> {
  const member = await Buyer.join(day.target.system.api, day.target.store.storeCode);
  const { flowId, purchase } = await order(day, member);
  await approveProof(day, member, purchase.orderItemId);
  await changeUnderWay(day, flowId, purchase.orderItemId);
  await bringTogether(day, member);
}

/** Copies a preset, tries it out, publishes it, sells a product by it. */
async function order(day: Day, member: Buyer): Promise<{ readonly flowId: string; readonly purchase: Purchase }> {
  print('\n11. The shop draws an order of its own: made to order, by a proof that the buyer approves');
  const flow = await day.sell('POST', '/v1/commerce-flows', { key: 'made', name: '주문 제작', presetKey: 'custom-made' });
  const flowId = flow.flowId as string;
  const steps = [{ event: { type: 'start' } }, { advance: 'P4D' }];
  const simulated = await day.sell('POST', `/v1/commerce-flows/${flowId}/draft/simulate`, { steps });
  const [, later] = simulated.steps as { done: string; jobs: { type: string }[] }[];
  hold(
    'simulated before it is published: nobody answers for three days, and the order is refunded',
    later!.done === 'CANCELED' && later!.jobs.some(({ type }) => type === 'refund'),
    simulated,
  );
  await day.sell('POST', `/v1/commerce-flows/${flowId}/draft/publish`);
  day.product = await product(day, '이름을 새긴 머플러', flowId);
  const purchase = await day.buyAs(member, 1);
  const item = await day.sell('GET', `/v1/order-items/${purchase.orderItemId}`);
  day.link(workflowIdOf('orderItem', day.target.store.storeId, item.orderItemNo as string));
  hold('bought: it waits for the seller’s acceptance', item.flowState.key === 'paid', item.flowState);
  return { flowId, purchase };
}

async function approveProof(day: Day, member: Buyer, orderItemId: string): Promise<void> {
  print('\n12. Accepted, proof sent; a cancel would cost 30 percent now; the buyer approves');
  const act = (key: string, body: object) => day.sell('POST', `/v1/order-items/${orderItemId}/actions/${key}`, body);
  await act('accept', { input: { madeBy: '2030-01-10' } });
  const { item } = await act('sendProof', { attachments: [await day.seller.attachment()] });
  hold('the proof is with the buyer', item.flowState.key === 'proof' && item.flowState.attachments.length === 1, item.flowState);
  const mine = `/storefront/v1/me/order-items/${orderItemId}`;
  const cancel = { type: 'CANCEL', reason: 'CHANGE_OF_MIND', quantity: 1 };
  const { body: preview } = await member.call('POST', `${mine}/claims/preview`, cancel);
  hold(
    'a preview tells that 3,000 of 13,000 won would be kept',
    preview.data?.deductAmount === 3000 && preview.data.expectedRefundAmount === 10_000,
    preview,
  );
  const { body } = await member.call('POST', `${mine}/actions/approve`, { input: { agree: true } });
  hold(`approved: “${body.data?.item.step.label}”`, body.data?.item.step.type === 'SELLER_PROCESSING', body);
}

async function changeUnderWay(day: Day, flowId: string, orderItemId: string): Promise<void> {
  print('\n13. The flow is changed while the order is under way, and the order goes over to its new version');
  const { graph } = await day.sell('GET', `/v1/commerce-flows/${flowId}/versions/1`);
  const states = (graph.states as { id: string }[]).map((state) =>
    state.id === 'production' ? { ...state, label: '손으로 제작 중' } : state,
  );
  await day.sell('PUT', `/v1/commerce-flows/${flowId}/draft`, { graph: { ...graph, states } });
  const replayed = await day.sell('POST', `/v1/commerce-flows/${flowId}/draft/replay`, { orderItemId });
  hold('replayed: the new one would have led the order the same way', replayed.divergedAt === null, replayed);
  await day.sell('POST', `/v1/commerce-flows/${flowId}/draft/publish`);
  const moved = await day.sell('POST', `/v1/commerce-flows/${flowId}/versions/1/migrate`, {});
  const { flow, flowState } = await day.sell('GET', `/v1/order-items/${orderItemId}/flow`);
  const isMoved = moved.migrated === 1 && moved.remaining === 0 && flow.version === 2 && flowState.name === '손으로 제작 중';
  hold('migrated: same state, new version', isMoved, [moved, flow, flowState]);
  await day.sell('POST', `/v1/order-items/${orderItemId}/dispatch`, { deliveryMethod: 'DIRECT' });
  await day.sell('POST', '/v1/sandbox/clock', { advance: 'P20D' });
  const { items } = await day.sell('GET', `/v1/order-items/${orderItemId}/flow/runs`);
  const path = (items as { event: { type: string; key?: string }; to: string[] }[]).toReversed();
  for (const { event, to } of path) print(`    ${(event.key ?? event.type).padEnd(16)} → ${to.join(', ')}`);
  hold('every step is in its record, to the purchase decision', path.at(-1)?.to[0] === 'decided', path);
}

/** Two dishes of one order: what is done to one is done to both. */
async function bringTogether(day: Day, member: Buyer): Promise<void> {
  print('\n14. Two dishes of one order are cooked and brought together');
  const { flowId } = await day.sell('POST', '/v1/commerce-flows', { key: 'kitchen', name: '음식 배달', presetKey: 'food-delivery' });
  await day.sell('POST', `/v1/commerce-flows/${flowId}/draft/publish`);
  const dishes = [await product(day, '김치찌개', flowId as string), await product(day, '된장찌개', flowId as string)];
  const lines = dishes.map((dish) => ({ ...dish, quantity: 1 }));
  const { body } = await member.call('POST', '/storefront/v1/checkout', { items: lines });
  const { orderId, orderItemId } = await day.pay(member, body.data.checkoutId as string);
  const { orderNo } = await day.sell('GET', `/v1/orders/${orderId}`);
  day.link(workflowIdOf('orderGroup', day.target.store.storeId, `${orderNo as string}/kitchen`));
  const accepted = await day.sell('POST', `/v1/order-items/${orderItemId}/actions/accept`, { input: { minutes: '30' } });
  hold('one acceptance accepts both', accepted.affectedOrderItemIds.length === 2, accepted);
  await day.sell('POST', `/v1/order-items/${orderItemId}/dispatch`, { deliveryMethod: 'DIRECT' });
  await day.sell('POST', '/v1/sandbox/clock', { advance: 'P3D' });
  const { items } = await day.sell('GET', `/v1/orders/${orderId}`);
  const statuses = (items as { status: string }[]).map(({ status }) => status);
  hold(`both are ${statuses[0]}`, statuses.length === 2 && statuses.every((status) => status === 'PURCHASE_DECIDED'), statuses);
}

async function product(day: Day, name: string, flowId: string): Promise<{ productId: string; optionId: string }> {
  const { categoryId } = await day.sell('POST', '/v1/categories', { name });
  const made = await day.sell('POST', '/v1/products', { name, salePrice: 10_000, categoryId, stockQuantity: 10, flowId });
  return { productId: made.productId as string, optionId: made.variants[0].variantId as string };
}
