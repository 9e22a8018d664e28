/** A worker that is killed around the request of an external node: no entry is asked twice, and what is not known has failed (F17). */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../../bin/dev/until.ts';
<<<<<<<< HEAD:test/faults/externalCalls.ts
import { EXTERNAL_FLOW } from '../system/flows/externalFlow.ts';
========
import { EXTERNAL_FLOW } from '../system/flows/externals.ts';
>>>>>>>> wt-house:test/faults/externals.ts
import { answered } from './claimKills.ts';
import type { Bench } from './harness.ts';

/** A flow that asks when its seller says so, its product, and the service that it asks. */
<<<<<<<< HEAD:test/faults/externalCalls.ts
export async function startExternalCalls({ seller, productId: like }: Bench) {
========
export async function startExternals({ seller, productId: like }: Bench) {
>>>>>>>> wt-house:test/faults/externals.ts
  let requests = 0;
  const service = createServer((_, response) => {
    requests++;
    response.end('{}');
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
<<<<<<<< HEAD:test/faults/externalCalls.ts
  const request = async (method: string, path: string, body: object, key: string) => {
========
  const answerTo = async (method: string, path: string, body: object, key: string) => {
>>>>>>>> wt-house:test/faults/externals.ts
    const { status, body: reply } = await answered(() => seller.call(method, path, body, { 'idempotency-key': key }));
    if (status >= 300) throw new Error(`${method} ${path}: ${status}`);
    return reply.data as Record<string, string>;
  };
<<<<<<<< HEAD:test/faults/externalCalls.ts
  await request('PUT', '/v1/commerce-flows/secrets/service', { url, headerName: 'Authorization', headerValue: 'Bearer x' }, 'secret');
  const { flowId } = await request('POST', '/v1/commerce-flows', { key: 'asking', name: 'asking', graph: EXTERNAL_FLOW }, 'flow');
  await request('POST', `/v1/commerce-flows/${flowId}/draft/publish`, {}, 'publish');
  const { categoryId } = (await answered(() => seller.call('GET', `/v1/products/${like}`))).body.data as { categoryId: string };
  const product = { name: 'asked', salePrice: 5000, categoryId, stockQuantity: 1000, fulfillment: { type: 'MANUAL' }, flowId };
  const { productId } = await request('POST', '/v1/products', product, 'asked');
========
  await answerTo('PUT', '/v1/commerce-flows/secrets/service', { url, headerName: 'Authorization', headerValue: 'Bearer x' }, 'secret');
  const { flowId } = await answerTo('POST', '/v1/commerce-flows', { key: 'external', name: 'external', graph: EXTERNAL_FLOW }, 'flow');
  await answerTo('POST', `/v1/commerce-flows/${flowId}/draft/publish`, {}, 'publish');
  const { categoryId } = (await answered(() => seller.call('GET', `/v1/products/${like}`))).body.data as { categoryId: string };
  const product = { name: 'asked', salePrice: 5000, categoryId, stockQuantity: 1000, fulfillment: { type: 'MANUAL' }, flowId };
  const { productId } = await answerTo('POST', '/v1/products', product, 'asked');
>>>>>>>> wt-house:test/faults/externals.ts
  return {
    productId: productId!,
    close: () => void service.close(),
    /** How many requests an item's entry brought, and where its flow went on. */
    async after(orderItemId: string): Promise<readonly [number, string]> {
      const before = requests;
<<<<<<<< HEAD:test/faults/externalCalls.ts
      await request('POST', `/v1/order-items/${orderItemId}/actions/ask`, {}, `${orderItemId}-ask`);
========
      await answerTo('POST', `/v1/order-items/${orderItemId}/actions/ask`, {}, `${orderItemId}-ask`);
>>>>>>>> wt-house:test/faults/externals.ts
      const state = await until(
        'the answer, or its loss',
        async () => {
          const { body } = await answered(() => seller.call('GET', `/v1/order-items/${orderItemId}/flow`));
          const { key } = body.data.flowState as { key: string };
          return key !== 'asked' && key;
        },
        90_000,
      );
<<<<<<<< HEAD:test/faults/externalCalls.ts
      await request('POST', `/v1/order-items/${orderItemId}/actions/finish`, {}, `${orderItemId}-finish`);
========
      await answerTo('POST', `/v1/order-items/${orderItemId}/actions/finish`, {}, `${orderItemId}-finish`);
>>>>>>>> wt-house:test/faults/externals.ts
      return [requests - before, state];
    },
  };
}
<<<<<<<< HEAD:test/faults/externalCalls.ts
export type ExternalCalls = Awaited<ReturnType<typeof startExternalCalls>>;
========
export type ExternalShop = Awaited<ReturnType<typeof startExternals>>;
>>>>>>>> wt-house:test/faults/externals.ts
