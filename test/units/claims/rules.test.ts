/** Rules of claims that need no state: reasons and faults, problems of requests, the history in words. */
import { describe, expect, test } from '@jest/globals';
import { historyLine } from '../../../domain/claims/history.ts';
import {
  ALL_CLAIM_REASONS,
  CLAIM_REASONS,
  CLAIM_STATUSES,
  CLAIM_TYPES,
  type ClaimReason,
  type ClaimRequest,
  collectionProblems,
  inspectionProblems,
  isOpen,
  isSellerFault,
  MAX_HOLD_MS,
  MAX_IMAGES,
  requestProblems,
} from '../../../domain/claims/rules.ts';

const problemsOf = (request: Partial<ClaimRequest>) => requestProblems(request).map(({ field, code }) => [field, code]);

describe('reasons', () => {
  test.each([
    ['CANCEL', ['CHANGE_OF_MIND', 'ORDER_MISTAKE', 'DELIVERY_DELAY', 'OTHER']],
    ['RETURN', ['CHANGE_OF_MIND', 'DEFECTIVE', 'WRONG_ITEM', 'OPTION_CHANGE', 'OTHER']],
    ['EXCHANGE', ['CHANGE_OF_MIND', 'DEFECTIVE', 'WRONG_ITEM', 'OPTION_CHANGE', 'OTHER']],
  ] as const)('%s takes its own, and no other', (type, reasons) => {
    expect(CLAIM_REASONS[type]).toEqual(reasons);
    for (const reason of ALL_CLAIM_REASONS) {
      const isKnown = (reasons as readonly ClaimReason[]).includes(reason);
      expect(problemsOf({ type, reason })).toEqual(isKnown ? [] : [['reason', 'INVALID']]);
    }
  });
  test('whose fault they are', () => {
    expect(ALL_CLAIM_REASONS.filter(isSellerFault).toSorted()).toEqual(['DEFECTIVE', 'DELIVERY_DELAY', 'WRONG_ITEM']);
    expect(ALL_CLAIM_REASONS).toHaveLength(7);
  });
});

describe('problems of requests', () => {
  test.each(CLAIM_TYPES)('an option for %s', (type) => {
    const request = { type, reason: 'OTHER', exchangeOptionId: 'var' } as const;
    expect(problemsOf(request)).toEqual(type === 'EXCHANGE' ? [] : [['exchangeOptionId', 'NOT_APPLICABLE']]);
  });
  test('every problem is told, but none twice that the schema tells', () => {
    expect(problemsOf({ type: 'CANCEL', reason: 'DEFECTIVE', exchangeOptionId: 'var' })).toEqual([
      ['reason', 'INVALID'],
      ['exchangeOptionId', 'NOT_APPLICABLE'],
    ]);
    expect(problemsOf({ reason: 'DEFECTIVE', exchangeOptionId: 'var' })).toEqual([]);
    expect(problemsOf({ type: 'REPAIR' as 'RETURN', reason: 'BORED' as 'OTHER' })).toEqual([]);
    expect(problemsOf({ type: 'CANCEL', reason: 'BORED' as 'OTHER' })).toEqual([]);
  });
  test.each([
    [{ method: 'SELLER_PICKUP' }, ['carrierCode']],
    [{ method: 'SELLER_PICKUP', carrierCode: 'CJ' }, []],
    [{ method: 'BUYER_SEND' }, []],
    [{}, []],
  ])('collect %j', (request, fields) => {
    expect(collectionProblems(request).map(({ field }) => field)).toEqual(fields);
  });
  test.each([
    [{}, []],
    [{ soundQuantity: 1, damagedQuantity: 0, missingQuantity: 0 }, []],
    [{ soundQuantity: 1 }, ['damagedQuantity', 'missingQuantity']],
    [{ note: 'torn' }, ['soundQuantity', 'damagedQuantity', 'missingQuantity']],
  ])('an inspection %j', (inspection, fields) => {
    expect(inspectionProblems(inspection)).toEqual(fields.map((field) => expect.objectContaining({ field, code: 'REQUIRED' })));
  });
});

test('limits and open claims', () => {
  expect([MAX_HOLD_MS, MAX_IMAGES]).toEqual([7 * 24 * 3_600_000, 5]);
  expect(CLAIM_STATUSES.filter(isOpen)).toEqual(['REQUESTED', 'HELD', 'COLLECTING', 'COLLECTED', 'REDELIVERING']);
});

describe('the history in words', () => {
  test.each([
    ['RETURN', 'request', 'BUYER', '반품 신청 2개'],
    ['CANCEL', 'request', 'BUYER', '취소 신청 2개'],
    ['CANCEL', 'approve', 'SELLER', '취소 승인 및 환불'],
    ['CANCEL', 'approve', 'SYSTEM', '취소 승인 및 환불 (자동)'],
    ['RETURN', 'reject', 'SELLER', '반품 거부'],
    ['RETURN', 'collect', 'SELLER', '반품 수거 접수'],
    ['RETURN', 'completeCollection', 'SELLER', '반품 수거 완료'],
    ['EXCHANGE', 'redeliver', 'SELLER', '교환 상품 발송'],
    ['EXCHANGE', 'completeExchange', 'SELLER', '교환 완료'],
    ['RETURN', 'hold', 'SELLER', '반품 보류'],
    ['RETURN', 'release', 'SELLER', '반품 보류 해제'],
    ['RETURN', 'release', 'SYSTEM', '반품 보류 해제 (자동)'],
    ['RETURN', 'withdraw', 'BUYER', '반품 신청 철회'],
  ] as const)('%s %s by %s', (type, name, by, line) => {
    expect(historyLine({ type, quantity: 2 }, name, by)).toBe(line);
  });
});
