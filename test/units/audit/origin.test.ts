/** The origin of what a run changes: its command's sender, or nobody. */
import { expect, test } from '@jest/globals';
import { auditIdOf } from '../../../db/audit/commands.ts';
import { DAYS, MONTHS } from '../../../db/kernel/periods.ts';
import { originOf } from '../../../db/runs/origin.ts';
import { id } from '../../../domain/kernel/ids.ts';
import type { RunEvent } from '../../../workflows/kernel/messages.ts';

test('a command passes its sender’s origin on, without a name; everything else has none', () => {
  const origin = {
    actor: { type: 'AGENT', id: 'tok_1' },
    sealed: 'v1.k.x',
    requestId: 'req_1',
    approvalId: null,
    metadata: { via: 'MCP' },
  };
  const event = { type: 'command', command: { origin } } as unknown as RunEvent<'orderItem'>;
  expect(originOf(event)).toEqual({
    actor: { type: 'AGENT', id: 'tok_1', name: null },
    requestId: 'req_1',
    approvalId: null,
    metadata: { via: 'MCP' },
  });
  expect(originOf({ type: 'command', command: {} } as unknown as RunEvent<'orderItem'>)).toBeUndefined();
  expect([originOf({ type: 'elapsed' }), originOf({ type: 'load' })]).toEqual([undefined, undefined]);
});

test('the record of a request has its id, so that its month is the request’s', () => {
  const bytes = new Uint8Array(10).fill(7);
  expect(auditIdOf(id('req', 1_700_000_000_000, bytes))).toBe(id('aud', 1_700_000_000_000, bytes));
});

test('periods follow each other without a gap, leap years and years’ ends included', () => {
  for (const periods of [DAYS, MONTHS])
    for (const text of ['2027-12-31T23:59:59.999Z', '2028-01-01T00:00:00.000Z', '2028-02-29T12:00:00.000Z', '2028-03-01T00:00:00.000Z']) {
      const at = Date.parse(text);
      const index = periods.indexOf(at);
      expect([text, periods.start(index) <= at, at < periods.start(index + 1)]).toEqual([text, true, true]);
    }
  const at = Date.parse('2028-02-29T12:00:00Z');
  expect([DAYS.name(DAYS.indexOf(at)), MONTHS.name(MONTHS.indexOf(at))]).toEqual(['20280229', '202802']);
});
