/** Items and groups of items whose flow asks an external service. */
import { until } from '../kernel/world.ts';
import { deadlineAround, externalFlow, FlowShop, Service } from '../system/flows/externalFlow.ts';

/**
 * Items of a flow that asks an external service, which answers with 200, then with 500; `progression` ORDER_GROUP: they move as a group.
 */
export async function orderCalling(progression: 'ITEM' | 'ORDER_GROUP') {
  const shop = await FlowShop.sell(externalFlow({}, { progression }));
  const { orderItemId, orderNo } = await shop.shop.order(shop.product);
  let n = 0;
  const service = await Service.listen((response) => void response.writeHead(n++ === 0 ? 200 : 500).end('{}'));
  await shop.connect(service.url);
  for (const [key, reached] of [['ask', 'success'], ['again', 'failed']] as const) {
    await shop.press(orderItemId, key);
    await until(reached, async () => (await shop.state(orderItemId)).key === reached);
  }
  await shop.press(orderItemId, 'finish');
  service.close();
  return { shop: shop.shop, orderItemId, orderNo };
}

/** The deadline around a node passes while its service is silent, on the run's own timer; the answer comes late. */
export async function timedOutBesideCall(progression: 'ITEM' | 'ORDER_GROUP') {
  const { around, inner } = deadlineAround({ progression });
  const shop = await FlowShop.sell(around, { inner });
  const { orderItemId, orderNo } = await shop.shop.order(shop.product);
  let release = () => {};
  const service = await Service.listen((response) => {
    release = () => void response.end('{"late":true}');
  });
  await shop.connect(service.url);
  for (const key of ['ask', 'go']) await shop.press(orderItemId, key);
  await until('the request', async () => service.requests.length === 1);
  await shop.shop.seller.call('POST', '/v1/sandbox/clock', { advance: 'PT59M55S' });
  await until('late', async () => (await shop.state(orderItemId)).key === 'late');
  release();
  await shop.press(orderItemId, 'finish');
  service.close();
  return { shop: shop.shop, orderItemId, orderNo };
}
