import { describe, expect, test } from '@jest/globals';
import type { Environment } from '../../../domain/payments/providers.ts';
import {
  isReturnAllowed,
  liveConditions,
  liveRefusal,
  portoneKeyProblems,
  tossKeyProblems,
} from '../../../domain/paymentSettings/rules.ts';

const codes = (problems: readonly { field: string; code: string }[]) => problems.map(({ field, code }) => `${field} ${code}`);

describe('TossPayments’ keys', () => {
  test.each<[Environment, string, string, string[]]>([
    ['TEST', 'test_ck_sangjeom', 'test_sk_sangjeom', []],
    ['LIVE', 'live_ck_sangjeom', 'live_sk_sangjeom', []],
    ['LIVE', 'test_ck_sangjeom', 'test_sk_sangjeom', ['clientKey ENVIRONMENT_MISMATCH', 'secretKey ENVIRONMENT_MISMATCH']],
    ['TEST', 'test_gck_sangjeom', 'test_gsk_sangjeom', ['clientKey WIDGET_KEY', 'secretKey WIDGET_KEY']],
    ['TEST', 'test_sk_sangjeom', 'test_ck_sangjeom', ['clientKey KEY_PAIR_MISMATCH', 'secretKey KEY_PAIR_MISMATCH']],
    ['TEST', 'test_ck_short', ' test_sk_sangjeom', ['clientKey INVALID_KEY', 'secretKey INVALID_KEY']],
    ['TEST', 'test_ck_sangjeom\n', `test_sk_${'x'.repeat(101)}`, ['clientKey INVALID_KEY', 'secretKey INVALID_KEY']],
  ])('%s %j %j', (environment, clientKey, secretKey, expected) =>
    expect(codes(tossKeyProblems({ environment, clientKey, secretKey }))).toEqual(expected),
  );
});

describe('PortOne’s keys', () => {
  const given = { storeId: 'store-sangjeom', channelKey: 'channel-key-sangjeom', apiSecret: 'portone-sangjeom-secret' };
  const secret = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;
  test.each<[object, string[]]>([
    [{}, []],
    [{ webhookSecret: secret(24) }, []],
    [{ webhookSecret: secret(64) }, []],
    [{ webhookSecret: secret(23) }, ['webhookSecret INVALID_KEY']],
    [{ webhookSecret: secret(65) }, ['webhookSecret INVALID_KEY']],
    [{ webhookSecret: 'whsec_nobase64!' }, ['webhookSecret INVALID_KEY']],
    [
      { storeId: 'shop-1', channelKey: 'key', apiSecret: 'short' },
      ['storeId INVALID_KEY', 'channelKey INVALID_KEY', 'apiSecret INVALID_KEY'],
    ],
    [{ apiSecret: 'with a blank between' }, ['apiSecret INVALID_KEY']],
  ])('%j', (changes, expected) => expect(codes(portoneKeyProblems({ ...given, ...changes }))).toEqual(expected));
});

describe('return addresses', () => {
  const domains = ['shop.example.com'];
  test.each<[boolean, Environment, readonly string[], string]>([
    [true, 'TEST', [], 'https://anything.example'],
    [true, 'TEST', [], 'http://localhost:9/done'],
    [true, 'TEST', domains, 'http://127.0.0.1:3000/done'],
    [true, 'TEST', domains, 'https://shop.example.com/done'],
    [true, 'TEST', domains, 'https://www.shop.example.com:8443/done'],
    [false, 'TEST', domains, 'https://evilshop.example.com/'],
    [false, 'TEST', domains, 'https://example.com/'],
    [false, 'TEST', domains, 'https://localhost/'],
    [true, 'LIVE', domains, 'https://shop.example.com'],
    [false, 'LIVE', domains, 'http://localhost:9'],
    [false, 'LIVE', domains, 'https://localhost:9'],
    [false, 'LIVE', domains, 'https://other.example'],
  ])('%s: %s with %j: %s', (expected, environment, registered, url) =>
    expect(isReturnAllowed(url, environment, registered)).toBe(expected),
  );
});

describe('the live gate', () => {
  const met = { livePayments: true, liveSets: [true], hasTerms: true, domains: ['shop.example.com'] };
  test('its five conditions, in their order', () =>
    expect(liveConditions(met)).toEqual(
      ['LIVE_PAYMENTS_ENABLED', 'LIVE_CREDENTIALS', 'CREDENTIALS_VERIFIED', 'TERMS', 'PAYMENT_DOMAIN'].map((key) => ({ key, met: true })),
    ));
  test.each<[string | null, object]>([
    [null, {}],
    ['LIVE_PAYMENTS_DISABLED', { livePayments: false, liveSets: [] }],
    ['LIVE_GATE_NOT_MET', { liveSets: [] }],
    ['LIVE_GATE_NOT_MET', { liveSets: [false] }],
    [null, { liveSets: [false, true] }],
    ['LIVE_GATE_NOT_MET', { hasTerms: false }],
    ['LIVE_GATE_NOT_MET', { domains: [] }],
  ])('%s: %j', (expected, changes) => expect(liveRefusal(liveConditions({ ...met, ...changes }))).toBe(expected));
});
