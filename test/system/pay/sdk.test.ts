/** The payment screen as it is in production: the button opens the provider's browser SDK. The simulator serves the SDKs. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { get } from '../../../bin/dev/client.ts';
import { PHONE, Screens } from '../../kernel/chromium.ts';
import type { Api } from '../../kernel/forkApi.ts';
import { secondApi } from '../../kernel/secondApi.ts';
import { underTest, type World } from '../../kernel/world.ts';
import { problemsOf } from './axe.ts';
import { attemptsOf, CARD, KAKAO, shopPage, shopWith } from './shop.ts';

const screens = new Screens('the payment screen with the providers’ SDKs');
const { simulator } = underTest;
let shop: World;
let api: Api;
let store: Awaited<ReturnType<typeof shopPage>>;
beforeAll(async () => {
  const env = {
    SIMULATOR_URL: undefined,
    TOSS_URL: simulator,
    TOSS_SDK_URL: `${simulator}/sdk/toss.js`,
    PORTONE_URL: simulator,
    PORTONE_SDK_URL: `${simulator}/sdk/portone.js`,
  };
  [shop, api, store] = await Promise.all([shopWith({ toss: [CARD, KAKAO] }), secondApi(4930, env), shopPage()]);
}, 60_000);
afterAll(() => {
  api.stop();
  store.close();
});

const TOSS = { pg: 'tosspayments', method: 'CARD' };
const PORTONE = { pg: 'portone', method: 'CARD' };
/** A payment's page at the API that knows the SDKs only. */
async function started(option: object, at = shop): Promise<{ payUrl: string; paymentId: string }> {
  const { productId } = await at.product();
  const buyer = await at.buyer();
  const { checkoutId } = (await buyer.checkout(productId)).body.data as { checkoutId: string };
  const { payUrl, paymentId } = (await buyer.start(checkoutId, { option, returnUrl: store.returnUrl })).body.data as {
    payUrl: string;
    paymentId: string;
  };
  return { payUrl: payUrl.replace(underTest.api, api.url), paymentId };
}
const isBackAtShop = (url: URL): boolean => url.searchParams.has('svcResult');
const resultOf = async (page: Page): Promise<string | null> => {
  await page.waitForURL(isBackAtShop);
  return new URL(page.url()).searchParams.get('svcResult');
};

test('the policy names the SDK’s origin, and nothing is a form to it', async () => {
  const { payUrl } = await started(TOSS);
  const { headers, text } = await get(payUrl);
  const policy = headers.get('content-security-policy')!;
  expect(policy).toMatch(new RegExp(`script-src 'nonce-[^']+' ${simulator};`));
  expect(policy).toContain(`connect-src 'self' ${simulator};`);
  expect(policy).toContain('frame-src https:;');
  expect(text).toContain('브라우저의 자바스크립트를 켜 주세요');
  expect(text).not.toContain('/window/toss');
});

test('a development system’s page offers the SDK, and the form of its window beside it', async () => {
  const { payUrl } = await started(TOSS);
  const { headers, text } = await get(payUrl.replace(api.url, underTest.api));
  const policy = headers.get('content-security-policy')!;
  expect(policy).toMatch(new RegExp(`script-src 'nonce-[^']+' ${simulator};`));
  expect(text).toContain(`${simulator}/sdk/toss.js`);
  expect(text).toContain(`action="${simulator}/window/toss"`);
  expect(text).not.toContain('<noscript>');
});

screens.describe('the provider’s SDK', () => {
  const open = (): Promise<Page> => screens.open({ viewport: PHONE, locale: 'ko-KR' });
  const serve = (page: Page, name: string, body: string) =>
    page.route(`${simulator}/sdk/${name}.js`, (route) => route.fulfill({ contentType: 'text/javascript', body }));
  const payButton = (page: Page) => page.getByRole('button', { name: '결제하기' });

  test.each([
    ['TossPayments', TOSS, 'tosspayments CARD APPROVED'],
    ['TossPayments with a wallet', { ...TOSS, ...KAKAO }, 'tosspayments KAKAOPAY APPROVED'],
    ['PortOne', PORTONE, 'portone CARD APPROVED'],
  ])('of %s opens its window, with the keyboard, and the payment is made', async (_, option, attempt) => {
    const page = await open();
    const { payUrl, paymentId } = await started(option);
    await page.goto(payUrl);
    expect(await problemsOf(page)).toEqual([]);
    await page.locator('#pay button').focus();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/window/**');
    await page.locator('button[value=pay]').click();
    expect(await resultOf(page)).toBe('COMPLETED');
    expect(await attemptsOf(paymentId)).toEqual([attempt]);
  });
  test('that is not loaded ends the attempt, and the next provider takes over', async () => {
    const page = await open();
    await page.route(`${simulator}/sdk/toss.js`, (route) => route.abort());
    const { payUrl, paymentId } = await started(TOSS);
    await page.goto(payUrl);
    await payButton(page).click();
    await page.waitForURL((url) => url.pathname.startsWith('/pay/') && url.href.startsWith(underTest.api));
    expect(await page.getByRole('status').textContent()).toContain('다른 결제 창으로');
    expect(await attemptsOf(paymentId)).toEqual(['tosspayments CARD DECLINED NOT_AVAILABLE_PAYMENT', 'portone CARD OPEN']);
  });
  test.each([
    ['NOT_SUPPORTED_METHOD', 'DECLINED NOT_SUPPORTED_METHOD', 2],
    ['INVALID_CLIENT_KEY', 'DECLINED NOT_AVAILABLE_PAYMENT', 2],
    ['USER_CANCEL', 'CANCELED USER_CANCEL', 1],
    ['REJECT_CARD_PAYMENT', 'DECLINED REJECT_CARD_PAYMENT', 1],
  ])('that rejects the call with %s: %s', async (code, end, attempts) => {
    const page = await open();
    const reject = `() => Promise.reject(Object.assign(new Error('no'), { code: '${code}' }))`;
    await serve(page, 'toss', `TossPayments = () => ({ payment: () => ({ requestPayment: ${reject} }) });`);
    const { payUrl, paymentId } = await started(TOSS);
    await page.goto(payUrl);
    await payButton(page).click();
    await page.waitForURL((url) => !url.href.startsWith(api.url));
    const all = await attemptsOf(paymentId);
    expect([all[0], all.length]).toEqual([`tosspayments CARD ${end}`, attempts]);
  });
  test('of PortOne that answers instead of leading back: its answer goes to the return address', async () => {
    const page = await open();
    await serve(
      page,
      'portone',
      "PortOne = { requestPayment: async ({ paymentId }) => ({ paymentId, code: 'ChannelNotFound', message: 'x' }) };",
    );
    const { payUrl, paymentId } = await started(PORTONE);
    await page.goto(payUrl);
    await payButton(page).click();
    await page.waitForURL((url) => !url.href.startsWith(api.url));
    expect(await attemptsOf(paymentId)).toEqual(['portone CARD DECLINED ChannelNotFound', 'tosspayments CARD OPEN']);
  });
});
