/** A worker that is killed around the request of an external node: no entry is asked twice, and what is not known has failed. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../../bin/dev/until.ts';
import { EXTERNAL_FLOW } from '../system/flows/externalFlow.ts';
import { answered } from './claimKills.ts';
import type { Bench } from './harness.ts';

/** A flow that asks when its seller says so, its product, and the service that it asks. */
export async function startExternalCalls({ seller, productId: like }: Bench) {
  let requests = 0;
  const service = createServer((_, response) => {
    requests++;
    response.end('{}');
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const request = async (method: string, path: string, body: object, key: string) => {
    const { status, body: reply } = await answered(() => seller.call(method, path, body, { 'idempotency-key': key }));
    if (status >= 300) throw new Error(`${method} ${path}: ${status}`);
    return reply.data as Record<string, string>;
  };
  await request('PUT', '/v1/commerce-flows/secrets/service', { url, headerName: 'Authorization', headerValue: 'Bearer x' }, 'secret');
  const { flowId } = await request('POST', '/v1/commerce-flows', { key: 'asking', name: 'asking', graph: EXTERNAL_FLOW }, 'flow');
  await request('POST', `/v1/commerce-flows/${flowId}/draft/publish`, {}, 'publish');
  const { categoryId } = (await answered(() => seller.call('GET', `/v1/products/${like}`))).body.data as { categoryId: string };
  const product = { name: 'asked', salePrice: 5000, categoryId, stockQuantity: 1000, fulfillment: { type: 'MANUAL' }, flowId };
  const { productId } = await request('POST', '/v1/products', product, 'asked');
  return {
    productId: productId!,
    close: () => void service.close(),
    /** How many requests an item's entry brought, and where its flow went on. */
    async after(orderItemId: string): Promise<readonly [number, string]> {
      const before = requests;
      await request('POST', `/v1/order-items/${orderItemId}/actions/ask`, {}, `${orderItemId}-ask`);
      const state = await until(
        'the answer, or its loss',
        async () => {
          const { body } = await answered(() => seller.call('GET', `/v1/order-items/${orderItemId}/flow`));
          const { key } = body.data.flowState as { key: string };
          return key !== 'asked' && key;
        },
        90_000,
      );
      await request('POST', `/v1/order-items/${orderItemId}/actions/finish`, {}, `${orderItemId}-finish`);
      return [requests - before, state];
    },
  };
}
export type ExternalCalls = Awaited<ReturnType<typeof startExternalCalls>>;
