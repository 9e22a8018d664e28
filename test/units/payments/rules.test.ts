import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { RETURN_URL } from '../../../domain/kernel/hosts.ts';
import { failureOf, providerMessage } from '../../../domain/payments/failures.ts';
import { afterUnpaid, isUnknownTooLong, classifyReturnUrl, pgOrderId, readGap, returnAddress } from '../../../domain/payments/rules.ts';

describe('a reading that says "not charged"', () => {
  const unknown = { readings: 1, ended: true, confirmedAt: 0, expiresAt: 600_000 };
  test.each([
    ['once, after an answered confirm: ask again under the same key', unknown, 5_000, 'confirm-again'],
    ['three times, after an answered confirm: proven', { ...unknown, readings: 3 }, 20_000, 'not-charged'],
    ['three times, but the confirm may still run: ask again', { ...unknown, readings: 3, ended: false }, 20_000, 'confirm-again'],
    ['after the expiry: no confirm is sent any more', { ...unknown, expiresAt: 4_000, ended: false }, 5_000, 'read-again'],
    ['once the authentication is dead: proven', { ...unknown, expiresAt: 4_000, ended: false }, 600_000, 'not-charged'],
  ])('%s', (_, given, at, expected) => {
    expect(afterUnpaid(given, at)).toBe(expected);
  });
  test('three look-ups after 2, 4 and 8 seconds settle a technical failure within a minute', () => {
    expect([0, 1, 2, 3, 4, 9, 59].map(readGap)).toEqual([2000, 4000, 8000, 15_000, 30_000, 30_000, 30_000]);
  });
  test('half an hour later it is looked up every five minutes, and after a day no more', () => {
    expect([60, 500].map(readGap)).toEqual([300_000, 300_000]);
    expect([86_399_999, 86_400_000].map((at) => isUnknownTooLong(0, at))).toEqual([false, true]);
  });
});

describe('a provider’s own words, as they are kept', () => {
  test.each<[string, unknown, string | null]>([
    ['as they are', '한도초과 혹은 잔액부족으로 결제에 실패했습니다.', '한도초과 혹은 잔액부족으로 결제에 실패했습니다.'],
    ['on one line, without control characters', '\u0000거절\r\n\tcode\u001b[31m \u0085\u2028X\u007f', '거절 code [31m X'],
    ['without what turns the direction of text', 'a\u202eb\u2066c', 'a b c'],
    ['at most 500 characters, none of them halved', '😀'.repeat(600), '😀'.repeat(500)],
    ['without the half of a character', 'a\ud83d b', 'a b'],
    ['nothing but blanks is nothing', ' \n ', null],
    ['what is no text is nothing', { message: 'x' }, null],
    ['nothing is nothing', undefined, null],
  ])('%s', (_, message, stored) => expect(providerMessage(message)).toBe(stored));
  test('any message', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 3000 }), (message) => {
        const stored = providerMessage(message);
        if (stored === null) return;
        expect(Array.from(stored).length).toBeLessThanOrEqual(500);
        expect([stored.trim(), stored.isWellFormed(), /[\p{Cc}\p{Zl}\p{Zp}]/u.test(stored)]).toEqual([stored, true, false]);
        expect(providerMessage(stored)).toBe(stored);
      }),
    );
  });
});

describe('return addresses', () => {
  test.each([
    ['https://shop.example/done?a=1', 'ok'],
    ['http://localhost:5173/', 'ok'],
    ['http://127.0.0.1:9/x', 'ok'],
    ['http://shop.example/', 'not-allowed'],
    ['https://user:pw@shop.example/', 'not-allowed'],
    ['ftp://shop.example/', 'not-allowed'],
    ['javascript:alert(1)', 'not-allowed'],
    ['/done', 'not-absolute'],
    ['', 'not-absolute'],
    ['https://shop.example:65535/완료?주문=1#끝', 'ok'],
    ['https://쇼핑.한국/', 'ok'],
    ['https://bücher.example', 'ok'],
    ['https://xn--h32b13vza.xn--3e0b707e/', 'ok'],
    ['https://shop.example./', 'ok'],
    ['https://[2001:db8::1]:8443/', 'ok'],
    ['https://192.0.2.1?a', 'ok'],
    ['HTTPS://Shop.Example', 'ok'],
    ['http://LOCALHOST:65535', 'ok'],
    ['https:shop.example', 'not-absolute'],
    ['https:///shop.example', 'not-absolute'],
    ['https:\\\\shop.example', 'not-absolute'],
    [' https://shop.example', 'not-absolute'],
    ['https://sh\top.example', 'not-absolute'],
    ['https://shop.example/a b', 'not-absolute'],
    ['https://shop.example:65536', 'not-absolute'],
    ['https://shop.example:0', 'no-host'],
    ['https://shop.example:0443', 'no-host'],
    ['https://%61.example', 'no-host'],
    ['https://a;b.example', 'no-host'],
    ['https://a_b.example', 'no-host'],
    ['https://0x7f.1/', 'no-host'],
    ['https://2130706433/', 'no-host'],
    ['https://@shop.example', 'not-allowed'],
    ['http://127.0.0.1@shop.example', 'not-allowed'],
    ['http://localhost:0', 'not-allowed'],
  ])('%s → %s, and the documents say so', (url, verdict) => {
    expect(classifyReturnUrl(url)).toBe(verdict);
    expect(new RegExp(RETURN_URL, 'u').test(url)).toBe(verdict === 'ok');
  });
  test('whatever the documents allow is allowed', () => {
    const urls = fc.sample(fc.stringMatching(new RegExp(RETURN_URL)), { numRuns: 2000, seed: 7 });
    expect(urls.filter((url) => classifyReturnUrl(url) !== 'ok')).toEqual([]);
  });
  test('the existing query is kept', () => {
    expect(returnAddress('https://s.example/d?a=1#x', 'pay_1', 'FAILED')).toBe(
      'https://s.example/d?a=1&svcPaymentId=pay_1&svcResult=FAILED#x',
    );
  });
});

describe('failures as buyers read them', () => {
  test.each([
    ['PAY_PROCESS_CANCELED', 'BUYER_CANCELED', false],
    ['REJECT_CARD_PAYMENT', 'LIMIT_OR_BALANCE', false],
    ['EXCEED_MAX_AUTH_COUNT', 'AUTHENTICATION_FAILED', false],
    ['EXCEED_MAX_DAILY_PAYMENT_COUNT', 'LIMIT_OR_BALANCE', false],
    ['INVALID_STOPPED_CARD', 'INVALID_INSTRUMENT', false],
    ['FDS_ERROR', 'RISK_BLOCKED', false],
    ['UNAUTHORIZED_KEY', 'CONFIGURATION', true],
    ['NOT_SUPPORTED_METHOD', 'METHOD_UNAVAILABLE', true],
    ['NOT_CHARGED', 'PROVIDER_UNAVAILABLE', false],
    ['OUT_OF_STOCK', 'MERCHANT_REFUSED', false],
    ['SOMETHING_NEW', 'DECLINED', false],
  ])('%s is %s', (code, category, optionUnavailable) => {
    expect(failureOf('att_1', code)).toMatchObject({ category, code, optionUnavailable });
  });
  test('the provider knows an attempt by order number and sequence', () =>
    expect(pgOrderId('26112212345678', 3)).toBe('26112212345678-03'));
});
