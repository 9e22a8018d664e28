/** Claims of items with flows of sellers: limits and fees by expressions, groups, and what fails. */
import { describe, expect, test } from '@jest/globals';
import { claimActions } from '../../../domain/claims/actions.ts';
import { checkFiling, type ClaimableItem } from '../../../domain/claims/filing.ts';
import { decide } from '../../../domain/claims/machine.ts';
import type { ClaimReason, ClaimType } from '../../../domain/claims/rules.ts';
import { MAX_ITEM, Meter } from '../../../domain/flows/expressions/meter.ts';
import { compileFlow } from '../../../domain/flows/run/flow.ts';
import type { Graph, Permissions } from '../../../domain/flows/graph/graph.ts';
import { step } from '../../../domain/flows/run/step.ts';
import type { Facts, FlowEvent, FlowState } from '../../../domain/flows/run/state.ts';
import { Fault } from '../../../domain/kernel/errors.ts';
import { DAY, HOUR } from '../../../domain/kernel/time.ts';
import { stateOf as claimOf, T as CLAIM_T } from './states.ts';

const T = Date.parse('2026-11-20T10:00:00+09:00');
const graphOf = (permissions: Permissions, requires: NonNullable<Graph['requires']> = {}): Graph => ({
  schema: 1,
  start: 'paid',
  requires,
  tables: {
    showFee: [
      { days: 10, value: 0 },
      { days: 3, value: 20 },
      { days: 0, value: 90 },
    ],
  },
  states: [
    { id: 'paid', type: 'state', status: 'PAID', step: 'SELLER_PROCESSING', label: '결제 완료', permissions },
    { id: 'claimed', type: 'external', status: 'PAID', secret: 'issuer', method: 'POST', path: '/', timeoutSeconds: 5 },
    { id: 'done', type: 'end', outcome: 'COMPLETED', label: '완료' },
  ],
  actions: [{ key: 'ask', by: 'seller', label: '발급' }],
  edges: [{ id: 'ask', from: 'paid', to: 'claimed', on: { type: 'seller.action', key: 'ask' } }],
});
const facts: Facts = {
  settings: { autoDeliverDays: 7, autoConfirmDays: 7 },
  order: { paidAt: T, totalAmount: 30_000 },
  items: { oit: { quantity: 3, unitPrice: 10_000, option: { showAt: '2026-11-28T19:00:00+09:00' }, stay: null } },
};
interface Setting {
  readonly permissions: Permissions;
  readonly requires?: Graph['requires'];
  readonly events?: readonly FlowEvent[];
  readonly members?: readonly string[];
}
/** The first of the members: three units of 9,000 won after the coupon. */
function itemIn({ permissions, requires, events = [], members = ['oit'] }: Setting): ClaimableItem {
  const flow = compileFlow({ '': graphOf(permissions, requires) });
  const start: FlowEvent = { type: 'start', members: members.map((id) => ({ id, activeQuantity: 3 })) };
  let state: FlowState | null = null;
  for (const event of [start, ...events]) {
    const result = step(flow, state, event, T, facts);
    if (!result.ok) throw new Error(result.reason);
    state = result.state;
  }
  const refundableWon = (quantity: number) => 9000 * quantity;
  return { orderItemId: 'oit', flow, flowState: state!, facts, quantity: 3, canceledQuantity: 0, isShipped: true, refundableWon };
}
interface Claimed {
  readonly type?: ClaimType;
  readonly quantity?: number;
  readonly reason?: ClaimReason;
  readonly at?: number;
}
function filed(item: ClaimableItem, { type = 'CANCEL', quantity, reason = 'CHANGE_OF_MIND', at = T }: Claimed = {}): string {
  try {
    const { mode, deductWon } = checkFiling(item, { type, quantity, reason }, at);
    return `${mode} ${deductWon}`;
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
}
const cancelable = (buyerCancel: Permissions['buyerCancel'], more: Permissions = {}) =>
  itemIn({ permissions: { ...(buyerCancel && { buyerCancel }), ...more } });

describe('the fee of receipt', () => {
  test.each<[string, Parameters<typeof cancelable>[0], Claimed, string]>([
    ['none', { fee: { type: 'none' } }, {}, 'AT_ONCE 0'],
    ['a flat fee is one for the claim', { fee: { type: 'flat', amount: 2000 } }, { quantity: 2 }, 'AT_ONCE 2000'],
    ['and at most what is refundable', { fee: { type: 'flat', amount: 99_000 } }, { quantity: 2 }, 'AT_ONCE 18000'],
    ['a ratio, rounded down', { fee: { type: 'ratio', percent: 33.33 } }, { quantity: 1 }, 'AT_ONCE 2999'],
    ['the claimed units', { deduct: 'claim.quantity * 500' }, { quantity: 2 }, 'AT_ONCE 1000'],
    ['the reason', { deduct: 'claim.reason == "DELIVERY_DELAY" ? 0 : pct(refundable, 10)' }, { reason: 'DELIVERY_DELAY' }, 'AT_ONCE 0'],
    ['what is refundable', { deduct: 'claim.reason == "DELIVERY_DELAY" ? 0 : pct(refundable, 10)' }, { quantity: 2 }, 'AT_ONCE 1800'],
    ['the item', { deduct: 'item.unitPrice * item.activeQuantity / 100' }, {}, 'AT_ONCE 300'],
    ['the order', { deduct: 'order.totalAmount / 30' }, {}, 'AT_ONCE 1000'],
    ['less than nothing is nothing', { deduct: '0 - 500' }, {}, 'AT_ONCE 0'],
  ])('%s', (_, permission, claimed, expected) => {
    expect(filed(cancelable(permission), claimed)).toBe(expected);
  });
  test('sees the day of the receipt', () => {
    const item = cancelable({ deduct: 'pct(refundable, lookupStep(showFee, daysUntil(item.option.showAt)))' });
    const show = Date.parse('2026-11-28T19:00:00+09:00');
    const on = (days: number) => filed(item, { quantity: 1, at: show - days * DAY });
    expect([on(10), on(4), on(1)]).toEqual(['AT_ONCE 0', 'AT_ONCE 1800', 'AT_ONCE 8100']);
  });
  test('nothing is deducted from an exchange, which gives nothing back', () => {
    const item = itemIn({
      permissions: { exchangeRequest: { fee: { type: 'flat', amount: 2000 } }, returnRequest: { fee: { type: 'flat', amount: 2000 } } },
    });
    expect([filed(item, { type: 'EXCHANGE' }), filed(item, { type: 'RETURN' })]).toEqual(['REQUEST 0', 'REQUEST 2000']);
  });
  test('an approval without a deduction takes it, one with a deduction that one, and 0 is one', () => {
    const claim = claimOf('CANCEL', 'REQUESTED', { flowFeeWon: 1500 });
    const deducted = (deductWon?: number) => {
      const input = { seen: 'REQUESTED', ...(deductWon !== undefined && { deductWon }) } as const;
      const { effects } = decide(claim, { type: 'command', command: { name: 'approve', input } }, CLAIM_T);
      return effects.find((effect) => effect.type === 'refund')?.deductWon;
    };
    expect([deducted(), deducted(700), deducted(0)]).toEqual([1500, 700, 0]);
  });
});

describe('limits and modes', () => {
  test('until the time that an expression gives, the moment itself included', () => {
    const item = cancelable({ until: 'item.option.showAt - duration("24h")' });
    const until = Date.parse('2026-11-27T19:00:00+09:00');
    expect([filed(item, { at: until }), filed(item, { at: until + 1 })]).toEqual(['AT_ONCE 0', 'PERIOD_EXPIRED']);
    expect(claimActions(item, [], until + 1)).toEqual([{ key: 'cancel', label: '취소 신청', reason: 'PERIOD_EXPIRED' }]);
  });
  test('with both permissions the cancel at once goes before the request, as long as it lasts', () => {
    const item = cancelable({ within: 'PT1H' }, { cancelRequest: { fee: { type: 'flat', amount: 3000 } } });
    expect([filed(item, { at: T + HOUR }), filed(item, { at: T + HOUR + 1 })]).toEqual(['AT_ONCE 0', 'REQUEST 3000']);
  });
  test('without a permission, over the limit', () => {
    const item = cancelable({ within: 'PT1H' });
    expect([filed(item, { at: T + DAY }), filed(item, { type: 'RETURN' })]).toEqual(['PERIOD_EXPIRED', 'INVALID_STATUS']);
  });
  test('while an external service is claimed there are no permissions', () => {
    const item = itemIn({ permissions: { buyerCancel: true }, events: [{ type: 'seller.action', key: 'ask' }] });
    expect([filed(item), claimActions(item, [], T)]).toEqual(['INVALID_STATUS', []]);
  });
  test('what is not shipped is not exchanged, whatever its node says', () => {
    const item = { ...itemIn({ permissions: { exchangeRequest: { until: 'item.option.nowhere' } } }), isShipped: false };
    expect(filed(item, { type: 'EXCHANGE' })).toBe('EXCHANGE_NOT_SUPPORTED');
  });
});

describe('an expression that fails', () => {
  test('sets no limit and no fee, and a cancel at once becomes a request', () => {
    const [until, deduct] = [{ until: 'item.inputs.wantedAt' }, { deduct: 'item.option.missing == "x" ? 1 : 2' }];
    expect([filed(cancelable(until)), filed(cancelable(deduct))]).toEqual(['REQUEST 0', 'REQUEST 0']);
    expect(filed(cancelable({ ...until, fee: { type: 'flat', amount: 500 } }))).toBe('REQUEST 500');
    expect(filed(itemIn({ permissions: { returnRequest: until } }), { type: 'RETURN', at: T + 400 * DAY })).toBe('REQUEST 0');
  });
});

describe('what lists show costs a bounded amount', () => {
  const dear = Array.from({ length: 30 }, () => 'lookupStep(showFee, 3) < 0').join('||');
  const over = { until: `${dear} ? now : order.paidAt`, deduct: `${dear} ? 1 : 0` };
  test('fees are not looked at, limits are', () => {
    const [free, spent] = [new Meter(MAX_ITEM), new Meter(MAX_ITEM)];
    claimActions(cancelable({ deduct: over.deduct }), [], T, free);
    claimActions(cancelable(over), [], T + 1, spent);
    expect([free.spent, spent.spent > 200]).toEqual([0, true]);
  });
  test('a limit for which nothing is left sets none in the list; the claim itself is judged as ever', () => {
    const item = cancelable(over);
    const reasonWith = (max: number) => claimActions(item, [], T + 1, new Meter(max))[0]!.reason;
    expect([reasonWith(MAX_ITEM), reasonWith(100)]).toEqual(['PERIOD_EXPIRED', null]);
    expect(filed(item, { at: T + 1 })).toBe('PERIOD_EXPIRED');
  });
});

describe('groups', () => {
  const group = (groupClaim: 'PAUSE' | 'CONTINUE', member: string) =>
    itemIn({
      permissions: { cancelRequest: true },
      requires: { progression: 'ORDER_GROUP', groupClaim },
      members: ['oit', 'other'],
      events: [{ type: 'claim.opened', claimId: 'clm', member }],
    });
  test.each(['PAUSE', 'CONTINUE'] as const)('%s: one open claim of each item, whatever the others have', (groupClaim) => {
    expect([filed(group(groupClaim, 'oit')), filed(group(groupClaim, 'other'))]).toEqual(['CLAIM_IN_PROGRESS', 'REQUEST 0']);
    expect(claimActions(group(groupClaim, 'other'), [], T)).toEqual([{ key: 'cancel', label: '취소 신청', reason: null }]);
  });
});
