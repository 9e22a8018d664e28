/** The arguments of both providers' browser SDKs, as a call and as a form, and what a page with them may load. */
import { describe, expect, test } from '@jest/globals';
import { launchOf, sourcesOf } from '../../../api/pay/launch.ts';
import { orderName, windowCall, type WindowRequest } from '../../../api/pay/window.ts';

const common = {
  method: 'CARD',
  provider: null,
  pgOrderId: '26112400000001-01',
  amountWon: 12_500,
  orderName: '양모 머플러 외 1건',
  returnUrl: 'https://pay.example.com/pay/p/return?attemptId=a',
  failUrl: 'https://pay.example.com/pay/p/fail?attemptId=a',
  notificationUrl: 'https://pay.example.com/payment-notifications/t',
} as const;
const toss: WindowRequest = { ...common, keys: { clientKey: 'test_ck_a' } };
const portone: WindowRequest = { ...common, keys: { storeId: 'store-a', channelKey: 'channel-key-a' } };

describe('TossPayments', () => {
  test('is called with the client key, our order and both addresses', () => {
    expect(windowCall(toss)).toEqual({
      call: {
        pg: 'tosspayments',
        clientKey: 'test_ck_a',
        customerKey: 'ANONYMOUS',
        request: {
          method: 'CARD',
          amount: { currency: 'KRW', value: 12_500 },
          orderId: common.pgOrderId,
          orderName: common.orderName,
          successUrl: common.returnUrl,
          failUrl: common.failUrl,
          windowTarget: 'self',
        },
      },
      fields: {
        clientKey: 'test_ck_a',
        customerKey: 'ANONYMOUS',
        method: 'CARD',
        amount: '12500',
        currency: 'KRW',
        orderId: common.pgOrderId,
        orderName: common.orderName,
        successUrl: common.returnUrl,
        failUrl: common.failUrl,
      },
    });
  });
  test.each([
    ['BANK_TRANSFER', 'TRANSFER'],
    ['VIRTUAL_ACCOUNT', 'VIRTUAL_ACCOUNT'],
    ['MOBILE', 'MOBILE_PHONE'],
  ] as const)('%s is %s', (method, wanted) => {
    expect(windowCall({ ...toss, method }).fields).toMatchObject({ method: wanted });
  });
  test.each([
    ['KAKAOPAY', 'KAKAOPAY'],
    ['SSGPAY', 'SSG'],
  ] as const)('the wallet %s is a card payment whose window opens at %s', (provider, easyPay) => {
    const { call, fields } = windowCall({ ...toss, method: 'EASY_PAY', provider });
    expect(fields).toMatchObject({ method: 'CARD', flowMode: 'DIRECT', easyPay });
    expect(call.request).toMatchObject({ method: 'CARD', card: { flowMode: 'DIRECT', easyPay } });
  });
});

describe('PortOne', () => {
  test('is called with store, channel, our payment, the return address and the address of notifications', () => {
    const shared = {
      storeId: 'store-a',
      channelKey: 'channel-key-a',
      paymentId: common.pgOrderId,
      orderName: common.orderName,
      currency: 'KRW',
      payMethod: 'CARD',
      redirectUrl: common.returnUrl,
    };
    expect(windowCall(portone)).toEqual({
      call: { pg: 'portone', request: { ...shared, totalAmount: 12_500, forceRedirect: true, noticeUrls: [common.notificationUrl] } },
      fields: { ...shared, totalAmount: '12500', forceRedirect: 'true', noticeUrls: common.notificationUrl },
    });
  });
  test.each([
    ['BANK_TRANSFER', 'TRANSFER'],
    ['VIRTUAL_ACCOUNT', 'VIRTUAL_ACCOUNT'],
    ['MOBILE', 'MOBILE'],
  ] as const)('%s is %s', (method, payMethod) => {
    expect(windowCall({ ...portone, method }).fields).toMatchObject({ payMethod });
  });
  test('a wallet is named', () => {
    const { call, fields } = windowCall({ ...portone, method: 'EASY_PAY', provider: 'SSGPAY' });
    expect(fields).toMatchObject({ payMethod: 'EASY_PAY', easyPayProvider: 'SSGPAY' });
    expect(call.request).toMatchObject({ payMethod: 'EASY_PAY', easyPay: { easyPayProvider: 'SSGPAY' } });
  });
});

describe('the name of an order', () => {
  const named = (...names: string[]) => orderName(names.map((productName) => ({ productName })));
  test('is its first line and how many more there are', () => {
    expect([named('머플러'), named('머플러', '모자', '장갑')]).toEqual(['머플러', '머플러 외 2건']);
  });
  test('is cut to what providers take, never within a character', () => {
    const name = named('🧣'.repeat(120), '모자');
    // In the units of browsers, of which a scarf is two.
    expect([name.length, name.endsWith('🧣 외 1건')]).toEqual([99, true]);
  });
});

const simulator = { baseUrl: 'http://127.0.0.1:1', sdkUrl: 'http://127.0.0.1:1/sdk/toss.js', windowUrl: 'http://127.0.0.1:1/window/toss' };
const real = { baseUrl: 'https://api.tosspayments.com', sdkUrl: 'https://js.tosspayments.com/v2/standard', windowUrl: null };
describe('the window', () => {
  test('of the development system is opened by its SDK too, and without script by a form', () => {
    const { call, fields } = windowCall(toss);
    const { returnUrl, failUrl } = common;
    expect(launchOf(simulator, toss)).toEqual({
      sdk: { url: simulator.sdkUrl, call, returnUrl, failUrl },
      form: { action: simulator.windowUrl, fields },
    });
    expect(sourcesOf(simulator)).toMatchObject({ scripts: ['http://127.0.0.1:1'], forms: ['http://127.0.0.1:1'] });
  });
  test('is opened by the SDK alone in production, whose origin the policy names', () => {
    const { call } = windowCall(toss);
    const { returnUrl, failUrl } = common;
    expect(launchOf(real, toss)).toEqual({ sdk: { url: real.sdkUrl, call, returnUrl, failUrl }, form: null });
    expect(sourcesOf(real)).toEqual({
      scripts: ['https://js.tosspayments.com'],
      connections: ["'self'", 'https://js.tosspayments.com', 'https://api.tosspayments.com', 'https://*.tosspayments.com'],
      frames: ['https:'],
      images: ["'self'", 'https:'],
      forms: ['https:'],
    });
  });
});
