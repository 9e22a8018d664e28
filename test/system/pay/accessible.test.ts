/** Every state of the payment screen without a violation in axe: both languages, narrow and wide; and all of it without script. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { PHONE, Screens } from '../../kernel/chromium.ts';
import { query, type World } from '../../kernel/world.ts';
import { problemsOf } from './axe.ts';
import { attemptsOf, CARD, KAKAO, shopPage, shopWith } from './shop.ts';

const screens = new Screens('the payment screen in each of its states');
let shop: World;
let store: Awaited<ReturnType<typeof shopPage>>;
beforeAll(async () => {
  [shop, store] = await Promise.all([shopWith({ routing: 'PRIORITY_DISPLAY', toss: [CARD, KAKAO] }), shopPage()]);
}, 60_000);
afterAll(() => store.close());

async function started(at = shop): Promise<{ payUrl: string; paymentId: string }> {
  const { productId } = await at.product({ name: '겨울 양모 머플러' });
  const buyer = await at.buyer();
  const { checkoutId } = (await buyer.checkout(productId)).body.data as { checkoutId: string };
  return (await buyer.start(checkoutId, { returnUrl: store.returnUrl })).body.data as { payUrl: string; paymentId: string };
}
/** In the simulator's window, which both providers have. */
async function payWith(page: Page, ending: string): Promise<void> {
  await page.waitForURL('**/window/**');
  await page.fill('[name=card]', `411111111111${ending}`);
  await page.locator('button[value=pay]').click();
}
const isBackAtShop = (url: URL): boolean => url.searchParams.has('svcResult');
screens.describe('the payment screen in each of its states', () => {
  const open = (locale = 'ko-KR'): Promise<Page> => screens.open({ viewport: PHONE, locale });
  test('pay, with other ways', async () => {
    const page = await open();
    await page.goto((await started()).payUrl);
    expect(await page.getByRole('heading', { level: 2 }).textContent()).toBe('다른 결제 수단');
    expect(await problemsOf(page)).toEqual([]);
    expect(await page.getByRole('heading', { level: 2 }).textContent()).toBe('Other ways to pay');
    await screens.shoot(page, 'pay-ways-desktop-en', { fullPage: true });
  });
  test('pay, at the next provider', async () => {
    const page = await open();
    await page.goto((await started(await shopWith())).payUrl);
    await page.getByRole('button', { name: '결제하기' }).click();
    await payWith(page, '0060');
    await page.waitForURL('**/pay/**');
    expect(await page.getByRole('status').textContent()).toContain('다른 결제 창으로 바꾸었습니다');
    expect(await problemsOf(page)).toEqual([]);
  });
  test('processing', async () => {
    const page = await open();
    await page.goto((await started()).payUrl);
    await page.getByRole('button', { name: '결제하기' }).click();
    await payWith(page, '0021');
    await page.waitForURL((url) => url.pathname.startsWith('/pay/') && !url.pathname.endsWith('/return'));
    expect(await problemsOf(page)).toEqual([]);
  });
  test('failed', async () => {
    const page = await open();
    const { payUrl } = await started();
    await page.goto(payUrl);
    await page.getByRole('button', { name: '결제하기' }).click();
    await payWith(page, '0001');
    await page.waitForURL(isBackAtShop);
    await page.goto(payUrl);
    expect(await problemsOf(page)).toEqual([]);
    await screens.shoot(page, 'failed-ways-desktop-en', { fullPage: true });
  });
  test.each(['ko-KR', 'en-US'])('a way that cannot be used (%s)', async (locale) => {
    const page = await open(locale);
    await page.goto((await started()).payUrl);
    // As if its form had stood there before the seller switched the method off.
    await page.evaluate(
      "document.querySelector('form.way').action = document.querySelector('form.way').action.replace('EASY_PAY', 'MOBILE')",
    );
    await page.locator('form.way button').first().click();
    await page.waitForURL('**/retry**');
    expect(await page.getByRole('alert').textContent()).toMatch(/^(?:청구된 금액은 없습니다|Nothing was charged)/);
    expect(await problemsOf(page)).toEqual([]);
    expect(screens.complaints.splice(0)).toEqual([expect.stringContaining('409')]);
    await page.getByRole('link', { name: /결제 화면으로|Back to the payment/ }).click();
    await page.getByRole('button', { name: /결제하기|Pay now/ }).waitFor();
  });
  test('unknown', async () => {
    const page = await open();
    await page.goto((await started()).payUrl.replace(/att_\w+/, 'att_x'));
    expect(await problemsOf(page)).toEqual([]);
    expect(screens.complaints.splice(0)).toEqual([expect.stringContaining('404'), expect.stringContaining('404')]);
  });
  test('expired', async () => {
    const page = await open();
    const { payUrl } = await started();
    await shop.advance('PT11M');
    await page.goto(payUrl);
    expect(await problemsOf(page)).toEqual([]);
  });
});

screens.describe('without script', () => {
  test('a refusal, a choice, a decline and another try lead to an order, at both providers', async () => {
    const page = await screens.open({ viewport: PHONE, locale: 'ko-KR', javaScriptEnabled: false });
    const { payUrl, paymentId } = await started(await shopWith({ toss: [CARD, KAKAO] }));
    await page.goto(payUrl);
    await page.getByRole('button', { name: '결제하기' }).click();
    await payWith(page, '0060');
    await page.getByRole('button', { name: '카카오페이 결제로 바꾸기' }).click();
    await page.getByRole('button', { name: '결제하기' }).click();
    await payWith(page, '0001');
    await page.waitForURL(isBackAtShop);
    await page.goto(`${payUrl.split('?')[0]!}?attemptId=${await newest(paymentId)}`);
    await page.getByRole('button', { name: '신용·체크카드 결제로 바꾸기' }).click();
    await page.getByRole('button', { name: '결제하기' }).click();
    // Its answer is lost: the processing page refreshes itself.
    await payWith(page, '0020');
    await page.waitForURL(isBackAtShop, { timeout: 40_000 });
    expect(new URL(page.url()).searchParams.get('svcResult')).toBe('COMPLETED');
    expect(await attemptsOf(paymentId)).toEqual([
      'tosspayments CARD DECLINED NOT_SUPPORTED_METHOD',
      'portone CARD SUPERSEDED',
      'tosspayments KAKAOPAY DECLINED REJECT_CARD_PAYMENT',
      'portone CARD APPROVED',
    ]);
  }, 90_000);
});

async function newest(paymentId: string): Promise<string> {
  const [row] = await query<{ id: string }>('SELECT current_attempt_id AS id FROM payment WHERE payment_id = $1', [paymentId]);
  return row!.id;
}
