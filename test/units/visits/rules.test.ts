/** Where a session came from, and which pages may report (docs/contract.md#visits, docs/contract.md#analytics). */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isAmong, isOrigin, sourceOf } from '../../../domain/visits/rules.ts';

describe('a source', () => {
  const OWN = ['https://shop.example', 'http://localhost:3000'];
  const direct = { source: 'direct', medium: 'none' };
  test.each([
    [{}, direct],
    [
      { utmSource: 'Naver', utmMedium: 'CPC' },
      { source: 'naver', medium: 'CPC' },
    ],
    [{ utmSource: 'mail' }, { source: 'mail', medium: 'none' }],
    [
      { utmSource: 'mail', referrer: 'https://search.example/' },
      { source: 'mail', medium: 'none' },
    ],
    // A medium alone says nothing.
    [{ utmMedium: 'cpc' }, direct],
    [{ referrer: 'https://www.Search.example/?q=1' }, { source: 'search.example', medium: 'referral' }],
    [{ referrer: 'https://m.search.example:8443/x' }, { source: 'm.search.example', medium: 'referral' }],
    [{ referrer: 'https://www.www.example/' }, { source: 'www.example', medium: 'referral' }],
    [{ referrer: 'android-app://com.search.box/' }, { source: 'com.search.box', medium: 'referral' }],
    [{ referrer: 'https://SHOP.example:443/cart' }, direct],
    [{ referrer: 'http://localhost:3000/' }, direct],
    [{ referrer: 'http://shop.example/' }, { source: 'shop.example', medium: 'referral' }],
    [{ referrer: 'about:blank' }, direct],
    [{ referrer: 'mailto:a@b.example' }, direct],
    [{ referrer: 'no address' }, direct],
  ])('%j', (reported, source) => expect(sourceOf(reported, OWN)).toEqual(source));
});

describe('an origin', () => {
  test.each([
    ['https://shop.example', 'https://SHOP.Example', true],
    ['https://shop.example', 'https://shop.example:443', true],
    ['http://shop.example:80', 'http://shop.example', true],
    ['https://shop.example:8443', 'https://shop.example:8443', true],
    ['https://shop.example', 'http://shop.example', false],
    ['https://shop.example', 'https://shop.example:8443', false],
    ['https://shop.example', 'https://www.shop.example', false],
    ['https://shop.example', 'https://shop.example.evil.example', false],
  ])('%s allows %s: %s', (allowed, sent, is) => expect(isOrigin(sent) && isAmong([allowed], sent)).toBe(is));
  test.each([
    '',
    'null',
    'shop.example',
    'https://',
    'https://shop.example/',
    'https://a@shop.example',
    'https://shop.example\\x',
    'ftp://x',
  ])('%j is none', (text) => expect(isOrigin(text)).toBe(false));
  test('whatever is sent, nothing is allowed that no entry says', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.webUrl()), (text) => !isOrigin(text) || !isAmong(['https://only.invalid'], text)));
  });
});
