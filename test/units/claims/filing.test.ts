/** When a buyer may file a claim: each stage of both standard flows, the refusals in their order, and what a buyer is shown of it. */
import { describe, expect, test } from '@jest/globals';
import { claimActions } from '../../../domain/claims/actions.ts';
import { checkFiling, type ClaimableItem, filingOf } from '../../../domain/claims/filing.ts';
import { CLAIM_STATUSES, CLAIM_TYPES, type ClaimStatus, type ClaimSummary, type ClaimType } from '../../../domain/claims/rules.ts';
import { builtInFlow } from '../../../domain/flows/presets/index.ts';
import type { FlowState } from '../../../domain/flows/run/state.ts';
import { Fault } from '../../../domain/kernel/errors.ts';
import { DAY } from '../../../domain/kernel/time.ts';

const T = Date.UTC(2026, 10, 20);
type Kind = 'SHIPPED' | 'PROVIDED';
/** An item of 3 units at a node since `T`. */
function itemAt(kind: Kind, node: string, changes: Partial<ClaimableItem> = {}): ClaimableItem {
  const isEnd = node === 'decided';
  const flowState: FlowState = {
    v: 1,
    seq: 1,
    members: [{ id: 'oit', activeQuantity: 3 }],
    claims: [],
    status: 'PAID',
    positions: [{ id: 'p', node, enteredAt: T, due: [] }],
    ...(isEnd && { done: 'COMPLETED' as const }),
  };
  const flow = builtInFlow(kind === 'SHIPPED' ? 'shipping-standard' : 'manual-standard', 1)!;
  const facts = { settings: { autoDeliverDays: 7, autoConfirmDays: 7 } };
  const isShipped = kind === 'SHIPPED';
  return { orderItemId: 'oit', flow, flowState, facts, quantity: 3, canceledQuantity: 0, isShipped, refundableWon: () => 0, ...changes };
}
const withClaim = (item: ClaimableItem): ClaimableItem => ({
  ...item,
  flowState: { ...item.flowState, claims: [{ id: 'clm', member: 'oit' }] },
});
const filed = (item: ClaimableItem, type: ClaimType, at = T): string => {
  const filing = filingOf(item, { type, quantity: 1, reason: 'OTHER' }, at);
  return 'mode' in filing ? filing.mode : filing.refusal;
};

describe('stages', () => {
  const NO = 'INVALID_STATUS';
  const UNSUPPORTED = 'EXCHANGE_NOT_SUPPORTED';
  test.each<[Kind, string, cancel: string, returned: string, exchange: string]>([
    ['SHIPPED', 'paid', 'AT_ONCE', NO, NO],
    ['SHIPPED', 'preparing', 'REQUEST', NO, NO],
    ['SHIPPED', 'shipping', NO, 'REQUEST', 'REQUEST'],
    ['SHIPPED', 'delivered', NO, 'REQUEST', 'REQUEST'],
    ['SHIPPED', 'decided', NO, NO, NO],
    ['PROVIDED', 'paid', 'AT_ONCE', NO, UNSUPPORTED],
    ['PROVIDED', 'preparing', 'REQUEST', NO, UNSUPPORTED],
    ['PROVIDED', 'provided', NO, 'REQUEST', UNSUPPORTED],
    ['PROVIDED', 'decided', NO, NO, UNSUPPORTED],
  ])('%s, %s', (kind, node, ...expected) => {
    expect(CLAIM_TYPES.map((type) => filed(itemAt(kind, node), type))).toEqual(expected);
  });
  test('until seven days after the delivery; the moment itself still counts', () => {
    for (const [item, types] of [
      [itemAt('SHIPPED', 'delivered'), ['RETURN', 'EXCHANGE']],
      [itemAt('PROVIDED', 'provided'), ['RETURN']],
    ] as const)
      for (const type of types) {
        expect(filed(item, type, T + 7 * DAY)).toBe('REQUEST');
        expect(filed(item, type, T + 7 * DAY + 1)).toBe('PERIOD_EXPIRED');
      }
    expect(filed(itemAt('SHIPPED', 'shipping'), 'RETURN', T + 30 * DAY)).toBe('REQUEST');
    expect(filed(itemAt('SHIPPED', 'delivered'), 'CANCEL', T + 30 * DAY)).toBe('INVALID_STATUS');
  });
});

describe('refusals, in their order', () => {
  const refusalOf = (item: ClaimableItem, type: ClaimType, quantity?: number, at = T): string => {
    try {
      checkFiling(item, { type, quantity, reason: 'OTHER' }, at);
      return 'none';
    } catch (error) {
      if (error instanceof Fault) return error.code;
      throw error;
    }
  };
  /** Each of these has all the faults of those below it. */
  const late = T + 8 * DAY;
  test.each<[string, ClaimableItem, ClaimType, string]>([
    ['nothing remains', withClaim(itemAt('PROVIDED', 'provided', { canceledQuantity: 3 })), 'EXCHANGE', 'INVALID_STATUS'],
    ['a claim is open', withClaim(itemAt('PROVIDED', 'provided')), 'EXCHANGE', 'CLAIM_IN_PROGRESS'],
    ['not shipped', itemAt('PROVIDED', 'provided'), 'EXCHANGE', 'EXCHANGE_NOT_SUPPORTED'],
    ['not at this stage', itemAt('SHIPPED', 'delivered'), 'CANCEL', 'INVALID_STATUS'],
    ['too late', itemAt('SHIPPED', 'delivered'), 'RETURN', 'PERIOD_EXPIRED'],
    ['too many', itemAt('SHIPPED', 'shipping'), 'RETURN', 'INVALID_QUANTITY'],
  ])('%s', (_, item, type, code) => {
    expect(refusalOf(item, type, 9, late)).toBe(code);
  });
  test('details: why, and how many remain', () => {
    expect(() => checkFiling(itemAt('SHIPPED', 'paid'), { type: 'RETURN', reason: 'OTHER' }, T)).toThrow(
      expect.objectContaining({ code: 'INVALID_STATUS', extra: { details: { reason: 'NOT_IN_STATE' } } }),
    );
    const item = itemAt('SHIPPED', 'paid', { canceledQuantity: 1 });
    expect(() => checkFiling(item, { type: 'CANCEL', quantity: 3, reason: 'OTHER' }, T)).toThrow(
      expect.objectContaining({ code: 'INVALID_QUANTITY', extra: { details: { activeQuantity: 2 } } }),
    );
  });
  test('units: all that remain, or some of them', () => {
    const item = itemAt('SHIPPED', 'paid', { canceledQuantity: 1 });
    const filed = (quantity?: number) => checkFiling(item, { type: 'CANCEL', quantity, reason: 'OTHER' }, T);
    for (const [wanted, quantity] of [
      [undefined, 2],
      [2, 2],
      [1, 1],
    ] as const)
      expect(filed(wanted)).toEqual({ mode: 'AT_ONCE', quantity, deductWon: 0 });
  });
});

describe('what a buyer is shown', () => {
  const shown = (item: ClaimableItem, claims: readonly ClaimSummary[] = [], at = T) =>
    claimActions(item, claims, at).map(({ key, reason }) => [key, reason]);
  const claim = (status: ClaimStatus): ClaimSummary => ({
    claimId: 'clm',
    claimNo: 'C26112012345678',
    type: 'RETURN',
    status,
    quantity: 1,
    reason: 'OTHER',
    requestedAt: T,
  });
  test.each<[Kind, string, readonly string[]]>([
    ['SHIPPED', 'paid', ['cancel']],
    ['SHIPPED', 'preparing', ['cancel']],
    ['SHIPPED', 'shipping', ['return', 'exchange']],
    ['SHIPPED', 'delivered', ['return', 'exchange']],
    ['SHIPPED', 'decided', []],
    ['PROVIDED', 'paid', ['cancel']],
    ['PROVIDED', 'provided', ['return']],
    ['PROVIDED', 'decided', []],
  ])('%s, %s', (kind, node, keys) => {
    expect(shown(itemAt(kind, node))).toEqual(keys.map((key) => [key, null]));
  });
  test('with the reason of the refusal that filing gives', () => {
    expect(shown(itemAt('SHIPPED', 'delivered'), [], T + 7 * DAY + 1)).toEqual([
      ['return', 'PERIOD_EXPIRED'],
      ['exchange', 'PERIOD_EXPIRED'],
    ]);
    expect(shown(itemAt('SHIPPED', 'paid', { canceledQuantity: 3 }))).toEqual([['cancel', 'INVALID_STATUS']]);
  });
  test('and the withdrawal of an open claim, in words', () => {
    const item = withClaim(itemAt('SHIPPED', 'shipping'));
    for (const status of CLAIM_STATUSES) {
      const withdraw = { REQUESTED: [null], HELD: [null], COLLECTING: ['NOT_IN_STATE'], COLLECTED: ['NOT_IN_STATE'] };
      const reasons = { ...withdraw, REDELIVERING: ['NOT_IN_STATE'], COMPLETED: [], REJECTED: [], WITHDRAWN: [] }[status];
      expect(shown(item, [claim('REJECTED'), claim(status)])).toEqual([
        ['return', 'CLAIM_IN_PROGRESS'],
        ['exchange', 'CLAIM_IN_PROGRESS'],
        ...reasons.map((reason) => ['withdraw', reason]),
      ]);
    }
    expect(claimActions(item, [claim('HELD')], T).map(({ label }) => label)).toEqual(['반품 신청', '교환 신청', '신청 철회']);
    expect(claimActions(itemAt('SHIPPED', 'paid'), [], T)[0]!.label).toBe('취소 신청');
  });
});
