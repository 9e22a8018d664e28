import { describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { startTracing } from '../../../db/kernel/tracing.ts';
import type { CollectedSpan } from '../../kernel/collector.ts';
import { formOf, get } from '../../../bin/dev/client.ts';
import { underTest, until, world } from '../../kernel/world.ts';

/** The suite's system traces only what arrives with a sampled `traceparent`. */
const newTrace = () => {
  const traceId = randomBytes(16).toString('hex');
  return { traceId, traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01` };
};
const spansOf = async (traceId: string): Promise<CollectedSpan[]> =>
  (await (await fetch(`${underTest.collector}/${traceId}`)).json()) as CollectedSpan[];

describe('OpenTelemetry', () => {
  test('an approval is one trace', async () => {
    const shop = await world();
    const { payUrl, paymentId } = await shop.payment();
    const form = formOf((await get(payUrl)).text, 'pay')!;
    const submit = new URL('/window/toss/submit', form.action);
    submit.search = String(new URLSearchParams({ ...form.fields, card: '4111111111110000', outcome: 'pay' }));
    const { location } = await get(submit.href);
    const { traceId, traceparent } = newTrace();
    await fetch(location!, { headers: { traceparent }, redirect: 'manual' });
    const wanted = [
      'sangjeom-api UpdateWithStartWorkflow:command',
      'sangjeom-worker HandleUpdate:command',
      'sangjeom-worker RunActivity:confirmPayment',
      'sangjeom-worker RunActivity:transitionOrderItem',
      'sangjeom-worker RunActivity:transitionPayment',
      'sangjeom-worker RunWorkflow:orderItem',
      'sangjeom-worker RunWorkflow:payment',
      'sangjeom-worker StartWorkflow:orderItem',
    ];
    const names = (spans: CollectedSpan[]) => [...new Set(spans.map(({ service, name }) => `${service} ${name}`))];
    await until('the start of the item', async () => names(await spansOf(traceId)).includes('sangjeom-worker StartWorkflow:orderItem'));
    // The item waits for its seller; its first task belongs to the trace of its start, whoever causes it.
    await shop.advance('PT1H');
    await until('every part of the trace', async () => {
      const seen = names(await spansOf(traceId));
      return wanted.every((name) => seen.includes(name)) && seen.some((name) => name.startsWith('sangjeom-api GET /pay'));
    });
    const spans = await spansOf(traceId);
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    const above = (span: CollectedSpan): string[] => {
      const parent = span.parentSpanId && byId.get(span.parentSpanId);
      return parent ? [parent.name, ...above(parent)] : [];
    };
    const transition = spans.find(({ name }) => name === 'RunActivity:transitionPayment')!;
    expect(above(transition)).toEqual(['HandleUpdate:command', 'UpdateWithStartWorkflow:command', expect.stringMatching(/^GET \/pay/)]);
    expect(transition.attributes['temporalWorkflowId']).toContain(paymentId);
    const load = spans.find(({ name }) => name === 'RunActivity:transitionOrderItem')!;
    expect(above(load).slice(0, 2)).toEqual(['RunWorkflow:orderItem', 'StartWorkflow:orderItem']);
    // Names and ids only: nothing that a person wrote.
    expect(JSON.stringify(spans)).not.toMatch(/카나리아|canary|9876/);
  });

  test('is off unless a collector is named', async () => {
    expect(await startTracing('sangjeom-api', {})).toBeNull();
  });
});
