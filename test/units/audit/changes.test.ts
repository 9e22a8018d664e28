import { describe, expect, test } from '@jest/globals';
import { allChanges, changesBetween, changesInPortions, shownOf } from '../../../domain/audit/changes.ts';

const line = (field: string, before: unknown, after: unknown) => ({ field, before, after });

test('nothing differs: nothing is listed, also when null stands for what is absent', () => {
  expect(changesBetween({ a: 1, b: null, c: [1, { d: null }] }, { a: 1, c: [1, {}] })).toEqual([]);
});

describe('a change', () => {
  test('lists each field by its path', () => {
    const before = { name: 'a', policy: { fee: 1, from: { jeju: 2 } }, same: 1 };
    const after = { name: 'b', policy: { fee: 1, from: { jeju: null } }, same: 1 };
    expect(changesBetween(before, after)).toEqual([line('name', 'a', 'b'), line('policy.from.jeju', 2, null)]);
  });
  test('lists a list of plain values whole, and items of records by their index', () => {
    const before = { images: ['a'], variants: [{ price: 1 }, { price: 2 }] };
    const after = { images: ['a', 'b'], variants: [{ price: 1 }, { price: 3 }, { price: 4 }] };
    expect(changesBetween(before, after)).toEqual([
      line('images', ['a'], ['a', 'b']),
      line('variants[1].price', 2, 3),
      line('variants[2].price', null, 4),
    ]);
  });
  test('lists the parts of what comes and of what goes', () => {
    expect(changesBetween({ hold: null, discount: { value: 5 } }, { hold: { reason: 'r' }, discount: null })).toEqual([
      line('discount.value', 5, null),
      line('hold.reason', null, 'r'),
    ]);
  });
  test('lists nothing that is given out, by its path and not by its name', () => {
    const before = { id: 1, updatedAt: 'a', items: [] };
    const after = { id: 2, updatedAt: 'b', items: [{ itemNo: 7, id: 'mine', updatedAt: 'theirs', n: 1 }] };
    expect(changesBetween(before, after, { given: ['id', 'updatedAt', 'items[].itemNo'] })).toEqual([
      line('items[0].id', null, 'mine'),
      line('items[0].n', null, 1),
      line('items[0].updatedAt', null, 'theirs'),
    ]);
  });
  test('shows no secrets and nothing personal', () => {
    const shown = changesBetween({ memo: 'a', buyer: { name: 'a' } }, { memo: 'b', buyer: { name: 'b' } }, { hidden: ['memo', 'buyer'] });
    expect(shown).toEqual([line('buyer', null, null), line('memo', null, null)]);
  });
});

test('a creation lists what is not null, a deletion one line', () => {
  expect(changesBetween(null, { id: 'x', name: 'a', note: null, tags: [] }, { given: ['id'] })).toEqual([
    line('name', null, 'a'),
    line('tags', null, []),
  ]);
  expect(changesBetween({ name: 'a' }, null)).toEqual([line('deleted', false, true)]);
  expect(changesBetween(null, null)).toEqual([]);
});

test('what nobody decides on is compared as far as it is shown', () => {
  let reads = 0;
  const counted = (price: number) => ({
    get price() {
      reads++;
      return price;
    },
  });
  const items = (n: number) => Array.from({ length: 600 }, (_, i) => counted(i + n));
  const of = (compare: () => unknown): number => {
    const before = reads;
    compare();
    return reads - before;
  };
  const [before, after] = [{ items: items(0) }, { items: items(1) }];
  const whole = of(() => allChanges(before, after));
  expect(of(() => changesBetween(before, after, { max: 6 }))).toBeLessThan(whole / 20);
});

test('amounts of money are shown before all others, wherever they stand', () => {
  const items = (n: number) => Array.from({ length: 400 }, (_, i) => ({ sku: `${i}${n}`, stock: n, additionalPrice: i === 399 ? n : 0 }));
  const shown = shownOf(allChanges({ items: items(0) }, { items: items(1) }));
  expect([shown.length, shown.find(({ field }) => field.endsWith('additionalPrice'))]).toEqual([
    500,
    line('items[399].additionalPrice', 0, 1),
  ]);
});

test('what is shown is bounded, what is decided on is not', () => {
  const items = (n: number) => Array.from({ length: 600 }, (_, i) => ({ price: i + n }));
  const all = allChanges({ items: items(0) }, { items: items(1) });
  expect([all.length, shownOf(all).length, shownOf(all, { max: 3 }).length]).toEqual([600, 500, 3]);
  expect(changesBetween({ items: items(0) }, { items: items(1) })).toEqual(shownOf(all));
});

test('a record or a list that was absent is compared like one that was null', () => {
  expect(changesBetween({}, { policy: { fee: 1 }, items: [{ a: 1 }] })).toEqual([line('items[0].a', null, 1), line('policy.fee', null, 1)]);
  expect(changesBetween({ policy: { fee: 1 }, items: [{ a: 1 }] }, {})).toEqual([line('items[0].a', 1, null), line('policy.fee', 1, null)]);
});

test('what is large is compared in portions: a field, or an entry of a list, at a time', () => {
  const image = (price: number) => ({
    name: 'a',
    variants: Array.from({ length: 500 }, (_, i) => ({ sku: `${i}`, price })),
    nights: { a: { price }, b: { price } },
  });
  const portions = changesInPortions(image(1), image(2));
  let count = 0;
  let next = portions.next();
  for (; !next.done; next = portions.next()) count++;
  expect(count).toBeGreaterThan(500);
  expect(next.value).toEqual(allChanges(image(1), image(2)));
  expect(next.value).toHaveLength(502);
});
