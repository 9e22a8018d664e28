/** What flows read of rows. */
import { describe, expect, test } from '@jest/globals';
import { type FactRow, flowFacts } from '../../../db/flows/facts.ts';

const settings = { autoDeliverDays: 7, autoConfirmDays: 3 };
const row = (changes: Partial<FactRow> = {}): FactRow => ({
  flowKey: 'ticket',
  flowVersion: 2,
  orderItemId: 'oit_1',
  unitPriceWon: 10_000,
  quantity: 3,
  canceledQuantity: 1,
  totalPriceWon: 30_000,
  couponDiscountWon: 3000,
  pointAllocationWon: 6000,
  stay: null,
  flowFacts: { option: { seat: 'R' }, order: { paidAt: 1, totalAmount: 21_000 } },
  fulfillmentSnapshot: { method: 'CARRIER' },
  isSettled: false,
  ...changes,
});

describe('facts of a flow', () => {
  test('of the code: the settings alone, and what the event brings', () => {
    const uploads = new Set(['https://a']);
    expect(flowFacts(row(), [row({ flowFacts: null })], { ...settings, more: 1 } as typeof settings, { uploads })).toEqual({
      settings,
      uploads,
    });
  });
  test('of a seller: order, option, and the cash and points of what remains, after the coupon', () => {
    const { holidays, ...facts } = flowFacts(row(), [row(), row({ orderItemId: 'oit_2', isSettled: true })], settings);
    const item = { quantity: 3, unitPrice: 10_000, option: { seat: 'R' }, stay: null };
    expect(facts).toEqual({
      settings,
      order: { paidAt: 1, totalAmount: 21_000 },
      items: { oit_1: item, oit_2: item },
      shipped: new Set(['oit_1', 'oit_2']),
      refundableWon: { oit_1: 18_000, oit_2: 0 },
    });
    expect(holidays?.size).toBe(0);
  });
  test('a stay counts its nights', () => {
    const stay = { checkIn: '2026-12-24', checkOut: '2026-12-26', nights: [{}, {}] };
    expect(flowFacts(row(), [row({ stay })], settings).items?.['oit_1']?.stay).toEqual({
      checkIn: '2026-12-24',
      checkOut: '2026-12-26',
      nights: 2,
    });
  });
});
