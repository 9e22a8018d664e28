/** The rules of customers: what lists show, what a keyword may be, what proves who is meant, which consents leave a record. */
import { describe, expect, test } from '@jest/globals';
import { agreedText, buyersPath, isRepeated } from '../../../domain/customers/consents.ts';
import { CUSTOMER_SORTS, isBlocked, isConfirmation, isPhoneEnd, maskPhone, startOfDay } from '../../../domain/customers/rules.ts';

describe('a masked phone', () => {
  test.each([
    ['010-1234-5555', '010-****-5555'],
    ['01012345555', '010****5555'],
    ['02-123-4567', '02-1**-4567'],
    ['010-12-34-5555', '010-**-**-5555'],
    ['123456789', '123**6789'],
    ['--01012345555', '--010****5555'],
    ['1234567', '1234567'],
    ['12345', '12345'],
  ])('%s is shown as %s', (phone, masked) => expect(maskPhone(phone)).toBe(masked));
});

test.each([
  ['5555', true],
  ['555', false],
  ['55555', false],
  ['55-55', false],
  ['５５５５', false],
  ['555a', false],
])('%s is the end of a phone: %s', (keyword, is) => expect(isPhoneEnd(keyword)).toBe(is));

describe('a confirmation', () => {
  const both = { email: 'kim@example.com', name: '김민준' };
  test.each([
    [both, 'kim@example.com', true],
    [both, '  KIM@Example.com ', true],
    [both, '김민준', false],
    [both, 'kim@example.co', false],
    [both, null, false],
    [both, '', false],
    [{ email: null, name: '김민준' }, ' 김민준 ', true],
    [{ email: null, name: '김민준' }, 'kim@example.com', false],
    [{ email: null, name: null }, '', false],
  ])('of %j by %j: %s', (customer, sent, is) => expect(isConfirmation(customer, sent)).toBe(is));
});

test('a Korean day begins at midnight of Seoul', () => {
  expect(new Date(startOfDay('2026-03-01')).toISOString()).toBe('2026-02-28T15:00:00.000Z');
  expect(new Date(startOfDay('2026-02-28', 1)).toISOString()).toBe('2026-02-28T15:00:00.000Z');
});

test('every order goes both ways', () => {
  expect(CUSTOMER_SORTS).toHaveLength(10);
  expect(CUSTOMER_SORTS).toContain('-lastOrderedAt');
});

test('any one thing in progress blocks', () => {
  const nothing = { orderItems: 0, claims: 0, payments: 0 };
  expect(isBlocked(nothing)).toBe(false);
  for (const one of ['orderItems', 'claims', 'payments']) expect(isBlocked({ ...nothing, [one]: 1 })).toBe(true);
});

describe('consents', () => {
  const terms = { termsVersion: '3', privacyVersion: null, termsUrl: 'https://a.example/t', privacyUrl: 'https://a.example/p' };
  test('have the version sent, else the store’s, and its URL; marketing has none', () => {
    expect(agreedText('TERMS', undefined, terms)).toEqual({ version: '3', url: 'https://a.example/t' });
    expect(agreedText('TERMS', '2', terms)).toEqual({ version: '2', url: 'https://a.example/t' });
    expect(agreedText('PRIVACY', undefined, terms)).toEqual({ version: null, url: 'https://a.example/p' });
    expect(agreedText('MARKETING', undefined, terms)).toEqual({ version: null, url: null });
    expect(agreedText('MARKETING', 'm', terms)).toEqual({ version: 'm', url: null });
  });
  test('of a buyer: marketing both ways, the terms only to agree anew', () => {
    expect([buyersPath('MARKETING', 'AGREE'), buyersPath('MARKETING', 'WITHDRAW')]).toEqual(['BUYER_CHANGE', 'BUYER_CHANGE']);
    expect([buyersPath('TERMS', 'AGREE'), buyersPath('PRIVACY', 'AGREE')]).toEqual(['RE_CONSENT', 'RE_CONSENT']);
    expect([buyersPath('TERMS', 'WITHDRAW'), buyersPath('PRIVACY', 'WITHDRAW')]).toEqual([null, null]);
  });
  test('what changes nothing leaves no record', () => {
    const agreed = { action: 'AGREE', version: '3' } as const;
    expect(isRepeated(agreed, agreed)).toBe(true);
    expect(isRepeated(agreed, { action: 'AGREE', version: null })).toBe(true);
    expect(isRepeated(agreed, { action: 'AGREE', version: '4' })).toBe(false);
    expect(isRepeated(agreed, { action: 'WITHDRAW', version: null })).toBe(false);
    expect(isRepeated(null, { action: 'WITHDRAW', version: null })).toBe(true);
    expect(isRepeated(null, { action: 'AGREE', version: null })).toBe(false);
    expect(isRepeated({ action: 'WITHDRAW', version: null }, { action: 'WITHDRAW', version: null })).toBe(true);
  });
});
