import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isLoopback, isPublic } from '../../../activities/providers/addresses.ts';
import { isWithin, networksOf } from '../../../db/kernel/networks.ts';
import { createKeyring } from '../../../db/kernel/keyring.ts';
import { checker } from '../../../api/validation/validate.ts';
import { closed, Type } from '../../../api/declare/schema.ts';
import { id, paymentId } from '../../../domain/kernel/ids.ts';
import { duration, korean, koreanDay } from '../../../domain/kernel/time.ts';
import { shippingProblems, wholeFulfillment } from '../../../domain/products/fulfillment.ts';
import { afterAttempt } from '../../../domain/webhooks/rules.ts';
import { progressStatus } from '../../../domain/orders/status.ts';
import { type PublicStatus } from '../../../domain/flows/graph/status.ts';

describe('time', () => {
  test('is told in Korean time', () => {
    expect(korean(Date.UTC(2026, 10, 20, 0, 30))).toBe('2026-11-20T09:30:00+09:00');
    expect(koreanDay(Date.UTC(2026, 10, 20, 15, 0))).toBe('261121');
  });
  test.each([
    ['P3DT1H', 262_800_000],
    ['P2W', 1_209_600_000],
    ['PT0S', 0],
    ['P', null],
    ['PT', null],
    ['P1M', null],
    ['P1Y', null],
    ['-P1D', null],
    ['p1d', null],
  ])('duration %s is %p', (text, ms) => expect(duration(text)).toBe(ms));
});

describe('ids', () => {
  test('sort by age, and keep their length', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1_600_000_000_000, max: 4_000_000_000_000 }),
        fc.integer({ min: 1, max: 1e9 }),
        fc.uint8Array({ minLength: 10, maxLength: 10 }),
        (at, gap, random) => {
          const [a, b] = [id('ord', at, random), id('ord', at + gap, random)];
          expect(a < b && a.length === 26 && b.length === 26).toBe(true);
        },
      ),
    );
  });
  test('a payment id is pay_ and 32 characters', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 23, maxLength: 23 }), (random) => expect(paymentId(random)).toMatch(/^pay_[0-9A-Za-z]{32}$/)),
    );
  });
});

describe('sealing', () => {
  const key = (fill: number) => Buffer.alloc(32, fill).toString('base64');
  const location = { store: 's1', table: 'webhook', row: 'w', column: 'secret' };
  test('opens what it sealed, also under an older key', () => {
    const sealed = createKeyring(`a:${key(1)}`).seal('비밀', location);
    expect(createKeyring(`b:${key(2)},a:${key(1)}`).open(sealed, location)).toBe('비밀');
  });
  test.each([{ store: 's2' }, { table: 'x' }, { row: 'v' }, { column: 'y' }])('refuses a text moved to %p', (moved) => {
    const ring = createKeyring(`a:${key(1)}`);
    expect(() => ring.open(ring.seal('x', location), { ...location, ...moved })).toThrow();
  });
  test('refuses keys that are not 32 bytes', () => expect(() => createKeyring('a:AAAA')).toThrow('SEALING_KEYS'));
});

describe('addresses', () => {
  test.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.2.1',
    '192.168.0.1',
    '192.88.99.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.9',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '168.63.129.16',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::7f00:1',
    '64:ff9b::7f00:1',
    '100::1',
    '100:0:0:1::1',
    '2001::1',
    '2001:2::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '3fff::1',
    '4000::1',
    '200::1',
    '5f00::1',
    'fc00::1',
    'fd12::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '::a9fe:a9fe',
    'not-an-address',
  ])('%s is not of the public internet', (address) => expect(isPublic(address)).toBe(false));
  test.each([
    '8.8.8.8',
    '1.1.1.1',
    '172.15.255.255',
    '172.32.0.1',
    '100.128.0.1',
    '192.0.1.1',
    '2606:4700::1111',
    '2a00:1450:4001::8a',
    '2400:cb00::1',
    '223.255.255.255',
  ])('%s is', (address) => expect(isPublic(address)).toBe(true));
  test('loopback is told apart', () => expect(['127.9.9.9', '::1', '8.8.8.8', '::2'].map(isLoopback)).toEqual([true, true, false, false]));
  test.each([
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '::1%lo',
    '127.0.0.1%lo',
    'localhost',
    '',
    '128.0.0.0',
    '126.255.255.255',
  ])('%p is no loopback address', (address) => expect(isLoopback(address)).toBe(false));
  test('a network holds IPv4 in either notation, and nothing that is no address', () => {
    const networks = networksOf(['10.0.0.0/8', '2001:db8::/32', '192.0.2.7']);
    const inside = ['10.0.0.0', '10.255.255.255', '::ffff:10.1.2.3', '2001:db8:ffff::', '192.0.2.7'];
    const outside = ['9.255.255.255', '11.0.0.0', '::ffff:11.0.0.0', '2001:db9::', '192.0.2.6', '2001:db8::1%eth0', '10.0.0', ''];
    expect(inside.filter((address) => !isWithin(networks, address))).toEqual([]);
    expect(outside.filter((address) => isWithin(networks, address))).toEqual([]);
  });
  test.each(['10.0.0.0/33', '::/129', '10.0.0/8', 'fe80::1%eth0', '10.0.0.0/x', 'x', '/8'])('%p is no network', (entry) =>
    expect(() => networksOf([entry])).toThrow(`${entry} is no address and no network.`),
  );
});

describe('validation', () => {
  const check = checker(
    closed({ items: Type.Array(closed({ quantity: Type.Integer({ minimum: 1, maximum: 999 }), name: Type.Optional(Type.String()) })) }),
    'json',
  );
  test('names every problem at once, unknown fields too', () => {
    const problems = check({ items: [{ quantity: 0 }, { quantity: 'x', more: 1 }, {}], legacy: true });
    expect(problems.map(({ field, code }) => `${field} ${code}`).toSorted()).toEqual([
      'items[0].quantity OUT_OF_RANGE',
      'items[1].more UNKNOWN_FIELD',
      'items[1].quantity INVALID_TYPE',
      'items[2].quantity REQUIRED',
      'legacy UNKNOWN_FIELD',
    ]);
  });
  test.each(['a\u0000b', 'a\u0007', '\ud800', '\u007f'])('refuses %j wherever it stands', (name) => {
    expect(check({ items: [{ quantity: 1, name }] })).toMatchObject([{ field: 'items[0].name', code: 'CONTROL_CHARACTER' }]);
  });
  test('takes line breaks', () => expect(check({ items: [{ quantity: 1, name: 'a\nb\tc' }] })).toEqual([]));
});

describe('delivery rule of a product', () => {
  test('the type defaults to PAID, the fee to the store’s', () =>
    expect(wholeFulfillment({}, { deliveryFeeWon: 2500, addressIds: { SHIPPING: 'a', RETURN: null } })).toEqual({
      fulfillmentType: 'SHIPPING',
      methods: ['CARRIER'],
      deliveryType: 'PAID',
      deliveryFeeWon: 2500,
      conditionalFreeWon: null,
      shippingAddressId: 'a',
      returnAddressId: null,
    }));
  test.each([
    [{ deliveryType: 'FREE', deliveryFee: 500 }, 'fulfillment.shipping.deliveryFee'],
    [{ deliveryType: 'CONDITIONAL_FREE' }, 'fulfillment.shipping.conditionalFreeAmount'],
    [{ deliveryType: 'PAID', conditionalFreeAmount: 1 }, 'fulfillment.shipping.conditionalFreeAmount'],
  ] as const)('%p is refused at %s', (request, field) => {
    expect(shippingProblems(request).map((problem) => problem.field)).toEqual([field]);
  });
});

describe('webhook attempts', () => {
  test('five attempts, 1 minute, 5 minutes, 30 minutes and 2 hours apart', () => {
    let at = 0;
    const times = [0];
    for (let n = 1; n < 5; n++) times.push((at = afterAttempt(n, 'NON_2XX', at).nextAttemptAt!));
    expect(times.map((t) => t / 60_000)).toEqual([0, 1, 6, 36, 156]);
    expect(afterAttempt(5, 'TIMEOUT', at)).toEqual({ status: 'FAILED', nextAttemptAt: null });
    expect(afterAttempt(3, null, at)).toEqual({ status: 'SUCCESS', nextAttemptAt: null });
  });
});

test.each<[PublicStatus[], PublicStatus]>([
  [['CONFIRMED', 'PAID'], 'PAID'],
  [['CANCELED', 'DELIVERED'], 'DELIVERED'],
  [['CANCELED'], 'CANCELED'],
  [['PURCHASE_DECIDED', 'DISPATCHED'], 'DISPATCHED'],
])('an order of %p is %s', (items, status) => expect(progressStatus(items)).toBe(status));
