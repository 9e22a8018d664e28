/** The payment screen's pages as HTML: what comes first, what is escaped, what stands in both languages. */
import { describe, expect, test } from '@jest/globals';
import { messages } from '../../../api/pay/messages.ts';
import { failedPage, type Launch, type PayContext, payPage, type PayPage } from '../../../api/pay/pages.ts';
import type { Option } from '../../../domain/paymentSettings/routing.ts';
import { failureOf } from '../../../domain/payments/failures.ts';

const context: PayContext = { locale: 'ko', nonce: 'n', otherLanguage: '/pay/p?attemptId=a&lang=en' };
const CARD: Option = { pg: 'tosspayments', method: 'CARD', provider: null };
const other = (option: Option) => ({ option, action: `/pay/p/retry?attemptId=a&pg=${option.pg}&method=${option.method}` });
const call = { pg: 'portone', request: { orderName: '</script><script>alert(1)</script>' } } as const;
const sdk: Launch['sdk'] = { url: 'https://sdk.example/s.js', call, returnUrl: 'r', failUrl: 'f' };
const form: Launch['form'] = { action: 'http://127.0.0.1:1/window/toss', fields: { orderName: '"><script>alert(1)</script>' } };
const shown = (changes: Partial<PayPage>): PayPage =>
  ({
    payment: {
      orderNo: '26112400000001',
      testPayment: true,
      totalWon: 12_500,
      expiresAt: new Date(600_000),
      lines: [{ productName: '<b>머플러</b>', optionLabel: null, quantity: 1 }],
    },
    attempt: CARD,
    storeName: '온기상점',
    at: 0,
    launch: { sdk, form },
    here: { action: '/pay/p', fields: { attemptId: 'a' } },
    cancel: { action: '/pay/p/fail', fields: { code: 'USER_CANCEL' } },
    others: [],
    isSwitched: false,
    ...changes,
  }) as PayPage;
const positions = (text: string, ...parts: readonly string[]): number[] => parts.map((part) => text.indexOf(part));

describe('the pay page', () => {
  test('begins with the form of the attempt’s own option; ways, way back and language follow', () => {
    const { text } = payPage(context, shown({ others: [other({ ...CARD, method: 'MOBILE' })] }));
    const order = positions(text, 'id="pay"', 'class="way"', 'id="cancel"', 'lang="en" hreflang');
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect([text.indexOf('<form'), order.includes(-1)]).toEqual([text.indexOf('<form id="pay"'), false]);
  });
  test('escapes names and fields', () => {
    const { text } = payPage(context, shown({}));
    expect(text).not.toMatch(/<b>|<script>alert/);
    expect(text).toContain('&lt;b&gt;머플러');
  });
  test.each([
    ['alone says that it needs script', null, true],
    ['beside a form needs none', form, false],
  ])('passes the data of the SDK as text that no markup can end; %s', (_, beside, needsScript) => {
    const { text } = payPage(context, shown({ launch: { sdk, form: beside } }));
    const [, data = ''] = /<script type="application\/json" id="sdk">(.*?)<\/script>/s.exec(text) ?? [];
    expect(JSON.parse(data)).toMatchObject({ url: 'https://sdk.example/s.js', call });
    expect(text.includes(`<noscript><p>${messages.ko.needsScript}</p></noscript>`)).toBe(needsScript);
  });
  test('names the provider where the same method stands there twice, in both languages', () => {
    const others = [other({ ...CARD, pg: 'portone' }), other({ pg: 'portone', method: 'EASY_PAY', provider: 'KAKAOPAY' })];
    const korean = payPage(context, shown({ others })).text;
    const english = payPage({ ...context, locale: 'en' }, shown({ others })).text;
    expect(korean).toMatch(/신용·체크카드 \(토스페이먼츠\)[\s\S]*신용·체크카드 \(포트원\) 결제로[\s\S]*카카오페이 결제로/);
    expect(english).toMatch(/Credit or debit card \(Toss Payments\)[\s\S]*Use Credit or debit card \(PortOne\)[\s\S]*Use Kakao Pay/);
  });
});

describe('the failed page', () => {
  const failed = (code: string, retryAction: string | null, locale: 'ko' | 'en' = 'ko') =>
    failedPage(
      { ...context, locale },
      {
        failure: failureOf('a', code),
        own: CARD,
        retryAction,
        others: [other({ ...CARD, method: 'MOBILE' })],
        returnTo: 'https://shop.example/done',
      },
    ).text;
  test('says why and leads on, another try first', () => {
    const text = failed('REJECT_CARD_PAYMENT', '/pay/p/retry?attemptId=a');
    expect(text).toContain('<p role="alert">한도 초과 또는 잔액 부족으로 결제하지 못했습니다.</p>');
    const order = positions(text, 'id="retry"', 'class="way"', 'https://shop.example/done', 'hreflang');
    expect([order.includes(-1), order]).toEqual([false, order.toSorted((a, b) => a - b)]);
  });
  test('does not try an unavailable option again', () => {
    expect(failed('NOT_SUPPORTED_METHOD', null)).not.toContain('id="retry"');
  });
  test('has a sentence of its own for every category in English', () => {
    expect(failed('FDS_ERROR', null, 'en')).toContain('The payment was blocked for your safety.');
  });
});
