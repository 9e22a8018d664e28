/** What events add to the reports (docs/contract.md#analytics). */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { addedUp, type Changes, fromSource, inShop, isEarlier, type Positioned, type VisitEvent } from '../../../domain/visits/counts.ts';
import { DAY } from '../../../domain/kernel/time.ts';

const MIDNIGHT = Date.parse('2026-11-25T00:00:00+09:00');
const EVENT: VisitEvent = {
  type: 'PAGE_VIEW',
  at: MIDNIGHT,
  visitorId: 'v',
  sessionId: 's',
  productId: null,
  quantity: 0,
  amountWon: 0,
  isTest: false,
};
const listsOf = ({ sums, members }: Changes) => [...sums, ...members].map(({ list, key }) => [list, key]);

describe('an event counts', () => {
  test('on its Korean day, to the millisecond', () => {
    const dayOf = (at: number) => inShop({ ...EVENT, at }).sums[0]!.day;
    expect([dayOf(MIDNIGHT - 1), dayOf(MIDNIGHT)]).toEqual(['2026-11-24', '2026-11-25']);
  });
  test.each<[Partial<VisitEvent>, unknown]>([
    [
      {},
      [
        ['ALL', ''],
        ['VISITOR', ''],
        ['SESSION', ''],
      ],
    ],
    [
      { type: 'PRODUCT_VIEW', productId: 'p' },
      [
        ['ALL', ''],
        ['PRODUCT', 'p'],
        ['VISITOR', ''],
        ['SESSION', ''],
        ['PRODUCT_VISITOR', 'p'],
      ],
    ],
    [
      { type: 'CART_ADD', productId: 'p' },
      [
        ['ALL', ''],
        ['PRODUCT', 'p'],
      ],
    ],
    [{ type: 'PAYMENT_START' }, [['ALL', '']]],
    [{ type: 'PURCHASE', amountWon: 5 }, [['ALL', '']]],
    [{ type: 'PURCHASE_LINE', productId: 'p', amountWon: 5 }, [['PRODUCT', 'p']]],
  ])('%j', (changes, lists) => expect(listsOf(inShop({ ...EVENT, ...changes }))).toEqual(lists));
  test('under a source as a view or a purchase; visitors are those of pages', () => {
    const source = { source: 'naver', medium: 'cpc' };
    expect(listsOf(fromSource(EVENT, source))).toEqual([
      ['SOURCE', 'naver'],
      ['SOURCE_VISITOR', 'naver'],
      ['SOURCE_SESSION', 'naver'],
    ]);
    expect(fromSource({ ...EVENT, type: 'PURCHASE', amountWon: 7, isTest: true }, source)).toMatchObject({
      sums: [{ list: 'SOURCE', medium: 'cpc', purchases: 1, amountWon: 7, isTest: true }],
      members: [],
    });
    expect(listsOf(fromSource({ ...EVENT, type: 'CART_ADD' }, source))).toEqual([]);
  });
});

const someEvents = fc.array(
  fc.record<VisitEvent>({
    type: fc.constantFrom('PAGE_VIEW', 'PRODUCT_VIEW', 'CART_ADD', 'PAYMENT_START', 'PURCHASE', 'PURCHASE_LINE'),
    at: fc.integer({ min: -2, max: 2 }).map((days) => MIDNIGHT + days * DAY),
    visitorId: fc.option(fc.constantFrom('v', 'w')),
    sessionId: fc.option(fc.constantFrom('s', 't')),
    productId: fc.constantFrom('p', 'q'),
    quantity: fc.nat(3),
    amountWon: fc.nat(1000),
    isTest: fc.boolean(),
  }),
  { maxLength: 12 },
);
const source = fc.record({ source: fc.constantFrom('a', 'b'), medium: fc.constantFrom('none', 'cpc') });

test('what was added under a source is taken back without a rest', () => {
  fc.assert(
    fc.property(someEvents, source, (events, from) => {
      const both = events.flatMap((event) => [fromSource(event, from), fromSource(event, from, -1)]);
      expect(addedUp(both)).toEqual({ sums: [], members: [] });
    }),
  );
});

test('parts add up to the whole, in any order', () => {
  const sorted = ({ sums, members }: Changes) => ({
    sums: sums.map((one) => JSON.stringify(one)).toSorted(),
    members: members.map((one) => JSON.stringify(one)).toSorted(),
  });
  fc.assert(
    fc.property(someEvents, fc.nat(12), (events, cut) => {
      const all = events.map(inShop);
      const parts = [addedUp(all.slice(cut)), addedUp(all.slice(0, cut))];
      expect(sorted(addedUp(parts))).toEqual(sorted(addedUp(all)));
    }),
  );
});

test('of two events one is the earlier, by time, then by batch and position', () => {
  const at = (time: number, batchId: string, position: number): Positioned => ({ ...EVENT, at: time, batchId, position, source: null });
  const ordered = [at(1, 'b', 1), at(2, 'a', 1), at(2, 'b', 0), at(2, 'b', 1)];
  for (const [i, one] of ordered.entries()) for (const [j, other] of ordered.entries()) expect(isEarlier(one, other)).toBe(i < j);
});
