import type { Reply } from '../../../bin/dev/client.ts';
import type { World } from '../../kernel/world.ts';
import { PAGE, report, viewOf, visitOf } from '../visits/shop.ts';

/** The part of the walk (examples.ts) in which a seller reads what was paid and paid back, and who visited the shop. */
type Walk = (id: string, method: string, path: string, request?: unknown) => Promise<unknown>;
type Note = (id: string, request: unknown, reply: Reply) => unknown;

export async function sales(sell: Walk): Promise<void> {
  await sell('payments.list', 'GET', '/v1/payments?includeTest=true&status=completed&size=2');
  await sell('salesReport.get', 'GET', '/v1/sales-report?includeTest=true&groupBy=MONTH');
  const { now } = (await sell('sandbox.readClock', 'GET', '/v1/sandbox/clock')) as { now: string };
  await sell('analytics.overview', 'GET', `/v1/analytics/overview?from=${now.slice(0, 10)}&includeTest=true`);
  await sell('analytics.products', 'GET', '/v1/analytics/products');
  await sell('analytics.sources', 'GET', '/v1/analytics/sources');
}

/** What its pages report, to be counted with the next advance of the clock. */
export async function visits(shop: World, note: Note): Promise<void> {
  const { productId } = await shop.product();
  const found = { referrer: 'https://search.example/', utmSource: 'naver', utmMedium: 'cpc', utmCampaign: 'winter' };
  const events = [{ ...PAGE, ...found }, viewOf(productId)];
  // Only pages of its own origins may report, where a store has named any.
  const [origin] = (await shop.seller.call('GET', '/v1/store')).body.data.analyticsAllowedOrigins as string[];
  const headers = { ...visitOf('v_4f1c', 's_9b20'), ...(origin !== undefined && { origin }) };
  note('visits.collect', { events }, await report(shop, headers, events));
}
