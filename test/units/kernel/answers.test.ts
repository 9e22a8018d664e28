/** How entries of a list are cut where a page would pass 1 MiB. */
import { describe, expect, test } from '@jest/globals';
import { fitted } from '../../../api/declare/shortened.ts';
import { LARGEST_ANSWER, shareOf } from '../../../db/kernel/answers.ts';

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
const CUT = { texts: ['text', 'note'], list: 'parts' };
const pageOf = (count: number, entry: (i: number) => object) => ({
  items: Array.from({ length: count }, (_, i) => entry(i)),
  total: count,
});

describe('a page that would pass 1 MiB', () => {
  test('has entries of at most their share, with texts cut at whole characters', () => {
    const page = fitted(
      pageOf(100, (id) => ({ id, text: '😀'.repeat(2000), deep: { note: '가'.repeat(2000), url: 'x'.repeat(900) } })),
      100,
      CUT,
    );
    expect(bytesOf(page)).toBeLessThanOrEqual(LARGEST_ANSWER);
    for (const entry of page.items) {
      expect(bytesOf(entry)).toBeLessThanOrEqual(shareOf(100));
      expect(entry).toMatchObject({ truncated: true, deep: { url: 'x'.repeat(900) } });
      expect((entry as unknown as { text: string }).text).toMatch(/^(?:😀)+…$/u);
    }
  });
  test('leaves the entries that are within their share as they are', () => {
    const small = { text: 'short' };
    const page = fitted(
      pageOf(100, (i) => (i === 7 ? small : { text: '😀'.repeat(4000) })),
      100,
      CUT,
    );
    expect(page.items[7]).toBe(small);
  });
  test('leaves out the last parts where shorter texts are not enough, and keeps the first', () => {
    const page = fitted(
      pageOf(100, () => ({ parts: Array.from({ length: 40 }, (_, n) => ({ n, id: 'x'.repeat(600) })) })),
      100,
      CUT,
    );
    for (const { parts } of page.items as unknown as { parts: { n: number }[] }[]) {
      expect(parts.length).toBeGreaterThan(1);
      expect(parts.map(({ n }) => n)).toEqual(Array.from(parts, (_, n) => n));
    }
    expect(bytesOf(page)).toBeLessThanOrEqual(LARGEST_ANSWER);
  });
});

test('a page that fits is not touched, and a smaller page has more of each entry', () => {
  const entry = { text: '😀'.repeat(2000) };
  expect(fitted({ items: [entry] }, 20, CUT).items[0]).toBe(entry);
  expect(shareOf(20)).toBeGreaterThan(4 * shareOf(100));
});
