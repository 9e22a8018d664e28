/** Text has one form: NFC, something to see, nothing around it. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isVisible, nfc, seen, visibleLength } from '../../../domain/kernel/text.ts';

describe('what can be seen', () => {
  test.each([
    ['blanks', ' \t\n\u00a0\u3000'],
    ['zero width', '\u200b\u200c\u200d\u2060\ufeff'],
    ['fillers of Hangul', '\u115f\u1160\u3164\uffa0'],
    ['the blank of Braille', '\u2800'],
    ['direction marks', '\u200e\u200f\u061c\u202a\u202e\u2066\u2069'],
    ['selectors and tags', '\ufe0f\u{e0041}\u{e0100}'],
    ['a soft hyphen', '\u00ad'],
  ])('%s are nothing', (_, text) => expect(isVisible(text)).toBe(false));
  test.each(['가', 'a', '7', '!', '₩', '★', '👍', '👨‍👩‍👧', '🇰🇷', '1️⃣', '\u0301', 'ᄒ', '⠁'])('%s is something', (text) =>
    expect(isVisible(text)).toBe(true),
  );
  test('what every engine says is no more than a blank is one here, and nothing that it draws is', () => {
    const blank = /^[\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]$/u;
    const wrong: string[] = [];
    for (let code = 0; code <= 0x10ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const text = String.fromCodePoint(code);
      if (blank.test(text) === isVisible(text)) wrong.push(code.toString(16));
    }
    expect(wrong).toEqual([]);
  });
  test('is counted from the first to the last', () =>
    expect([visibleLength(' \u3164가 나\u200b'), visibleLength('\u3164\u3164')]).toEqual([3, 0]));
});

describe('one form', () => {
  test('of Hangul, accents and kana, however they are typed', () => {
    for (const text of ['한글 각', 'café', 'Ångström', 'が'])
      expect([nfc(text.normalize('NFD')), nfc(text)]).toEqual([text.normalize('NFC'), text.normalize('NFC')]);
  });
  test('joiners, emoji sequences and selectors stay', () => {
    for (const text of ['👨‍👩‍👧', '1️⃣', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'क्‍ष', 'می‌خواهم']) expect(nfc(text)).toBe(text.normalize('NFC'));
  });
  test('is NFC for whatever has no more than thirty marks in a row', () => {
    const letter = fc.constantFrom(...Array.from('ae한ᄒ\u1161\u11ab\u0301\u0316\u0327\u302a\u3099か\u09c7\u09be 😀\u200d'));
    fc.assert(
      fc.property(fc.array(letter, { maxLength: 30 }), (letters) => expect(nfc(letters.join(''))).toBe(letters.join('').normalize('NFC'))),
    );
  });
  test('costs no more than the length of a text, whatever marks it has', () => {
    const timeOf = (n: number) => {
      const text = `a${'\u0301\u0316'.repeat(n)}`;
      const start = process.threadCpuUsage();
      nfc(text);
      return Math.max(1, process.threadCpuUsage(start).user);
    };
    timeOf(1000);
    // Ten times the length is a hundred times the work where it is sorted as a whole.
    const [short, long] = [
      Math.min(...Array.from({ length: 5 }, () => timeOf(2000))),
      Math.min(...Array.from({ length: 5 }, () => timeOf(20_000))),
    ];
    expect(long / short).toBeLessThan(40);
  });
  test.each([
    ['회색', '회\u200b색'],
    ['회색', '\u3164회색'],
    ['회색', '회색'.normalize('NFD')],
    ['회 색', '회\u00a0 색'],
    ['❤', '❤️'],
  ])('%s and its duplicate are seen alike', (one, two) => expect(seen(two)).toBe(seen(one)));
  test('what differs in what is seen stays apart', () => expect(new Set(['회색', '회 색', '회색!', 'A', 'a'].map(seen)).size).toBe(5));
  test('emoji that are joined look different from those that stand beside each other', () => {
    expect(new Set(['👨‍👩‍👧', '👨👩👧', '👩🏽‍🚀', '👩🏽🚀'].map(seen)).size).toBe(4);
    expect(seen('회\u200d색')).toBe('회색');
  });
});
