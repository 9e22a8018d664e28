/** The name of an order as providers take it: one line, no direction marks, at most a hundred of their units. */
import { expect, test } from '@jest/globals';
import { orderName } from '../../../api/pay/window.ts';

const of = (productName: string, n = 1) => orderName(Array.from({ length: n }, () => ({ productName })));

test.each([
  ['양모 머플러', 1, '양모 머플러'],
  ['양모 머플러', 3, '양모 머플러 외 2건'],
  ['두\r\n줄\t이름', 1, '두 줄 이름'],
  [' 둘레 ', 2, '둘레 외 1건'],
  ['\u202e00001\u202c원\u200f', 1, '00001원'],
  ['\u2066ab\u2069\u061c\u200e', 1, 'ab'],
  ['👨‍👩‍👧 세트', 1, '👨‍👩‍👧 세트'],
  ['\u3164\u200b', 2, '주문 외 1건'],
])('%j of %i lines is %j', (name, lines, expected) => expect(of(name, lines)).toBe(expected));

test('is at most a hundred units long, and no letter is cut in two', () => {
  for (const letter of ['가', '👍', '👨‍👩‍👧', 'e\u0301'])
    for (const lines of [1, 2, 100]) {
      const name = of(letter.repeat(100), lines);
      expect(name.length).toBeLessThanOrEqual(100);
      const letters = name.replace(/ 외 \d+건$/, '');
      expect(letters).toBe(letter.repeat(letters.length / letter.length));
    }
});
