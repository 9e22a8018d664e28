/** What operators are told of money at all, they are told of the first time. */
import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../bin/kernel/paths.ts';
import { underTest } from '../../kernel/world.ts';

test('every count that rings an alert at its first increase is there from zero on', async () => {
  const rules = readFileSync(join(root, 'ops/alerts.yml'), 'utf8');
  const counters = new Set([...rules.matchAll(/increase\((\w+)[^)]*\)\) > 0$/gm)].map(([, name]) => name!));
  expect([...counters].toSorted()).toEqual([
    'sangjeom_api_request_log_dropped_total',
    'sangjeom_provider_foreign_cancels_total',
    'sangjeom_provider_mismatches_total',
    'sangjeom_provider_outcomes_total',
    'sangjeom_provider_unresolved_total',
  ]);
  expect(await (await fetch(underTest.metrics.api)).text()).toMatch(/^sangjeom_api_request_log_dropped_total \d+$/m);
  const text = await (await fetch(underTest.metrics.worker)).text();
  const operations = (name: string, labels = '') =>
    new Set(
      [...text.matchAll(new RegExp(`^${name}\\{provider="tosspayments",operation="(\\w+)"${labels}\\} \\d+$`, 'gm'))].map(([, one]) => one),
    );
  const all = new Set(['return', 'confirmPayment', 'readPayment', 'voidPayment', 'refundPayment', 'findRefund']);
  expect(operations('sangjeom_provider_mismatches_total')).toEqual(all);
  expect(operations('sangjeom_provider_unresolved_total')).toEqual(all);
  expect(operations('sangjeom_provider_outcomes_total', ',outcome="REFUSED"')).toContain('refundPayment');
});
