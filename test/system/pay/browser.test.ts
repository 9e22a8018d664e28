/** The payment screen in a real Chromium: popup and redirect, keyboard, phone and desktop, both languages. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { DESKTOP, isWide, PHONE, Screens } from '../../kernel/chromium.ts';
import { type World, world } from '../../kernel/world.ts';

let shop: World;
let store: Server;
let returnUrl: string;
const screens = new Screens('the payment screen');

/** The shop's own page: it opens payUrl in a popup and shows what the popup told it. */
const shopPage = `<!doctype html><html lang="ko"><title>shop</title><button id="go">go</button><pre id="told"></pre><script>
  const payUrl = new URLSearchParams(location.search).get('payUrl');
  addEventListener('message', (e) => { told.textContent = JSON.stringify({ origin: e.origin, data: e.data }); });
  go.onclick = () => window.open(payUrl + '&mode=popup', 'pay', 'width=420,height=720');
</script></html>`;

beforeAll(async () => {
  shop = await world();
  store = createServer((_, response) => void response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(shopPage));
  await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve));
  returnUrl = `http://127.0.0.1:${(store.address() as AddressInfo).port}/done?cart=1`;
}, 60_000);
afterAll(() => void store.close());

const open = (viewport: { width: number; height: number }, locale = 'ko-KR'): Promise<Page> =>
  screens.open({ viewport, locale, deviceScaleFactor: 1 });
async function started(): Promise<{ payUrl: string; paymentId: string; status: () => Promise<{ result: string }> }> {
  const { productId } = await shop.product({ name: '아주 긴 이름의 겨울 양모 머플러 선물 세트 한정판 (회색과 남색, 길이 두 가지)' });
  const buyer = await shop.buyer();
  const { checkoutId } = (await buyer.checkout(productId, 2)).body.data as { checkoutId: string };
  const { payUrl, paymentId } = (await buyer.start(checkoutId, { returnUrl })).body.data as { payUrl: string; paymentId: string };
  return { payUrl, paymentId, status: async () => (await buyer.status(paymentId)).body.data as { result: string } };
}

screens.describe('the payment screen', () => {
  test.each([
    ['phone', PHONE, 'ko-KR', '결제하기'],
    ['desktop', DESKTOP, 'ko-KR', '결제하기'],
    ['phone-en', PHONE, 'en-US', 'Pay now'],
  ] as const)('%s: fits, says what is paid, counts down, and is paid with the keyboard alone', async (name, viewport, locale, payLabel) => {
    const { payUrl, status } = await started();
    const page = await open(viewport, locale);
    await page.goto(payUrl);
    expect(await page.getAttribute('html', 'lang')).toBe(locale.slice(0, 2));
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    expect(await page.locator('strong').textContent()).toContain('23,000');
    expect(await page.getByRole('timer').textContent()).toMatch(/^\((10:00|9:\d\d)\)$/);
    expect(await isWide(page)).toBe(false);
    const button = page.getByRole('button', { name: payLabel });
    expect((await button.boundingBox())!.height).toBeGreaterThanOrEqual(44);
    await screens.shoot(page, `pay-${name}`);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent.trim()')).toBe(payLabel);
    await screens.shoot(page, `pay-${name}-focus`);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/window/toss**');
    await page.fill('[name=card]', '4111111111110000');
    await page.locator('button[value=pay]').click();
    await page.waitForURL((url) => url.href.startsWith(returnUrl.slice(0, 25)));
    const back = new URL(page.url());
    expect([back.searchParams.get('cart'), back.searchParams.get('svcResult')]).toEqual(['1', 'COMPLETED']);
    expect((await status()).result).toBe('COMPLETED');
  });

  test('popup: tells the shop at its own origin, closes; a decline is told and can be tried again', async () => {
    const { payUrl, paymentId, status } = await started();
    const page = await open(DESKTOP);
    await page.goto(`${new URL(returnUrl).origin}/shop?payUrl=${encodeURIComponent(payUrl)}`);
    const receivedMessage = async () => {
      const text = await (await page.waitForFunction<string>(`document.getElementById('told').textContent`)).jsonValue();
      await page.evaluate(`document.getElementById('told').textContent = ''`);
      return JSON.parse(text) as { origin: string; data: Record<string, string> };
    };
    const through = async (card: string) => {
      const [popup] = await Promise.all([page.waitForEvent('popup'), page.click('#go')]);
      await popup.getByRole('button', { name: '결제하기' }).click();
      await popup.waitForURL('**/window/toss**');
      await popup.fill('[name=card]', card);
      await Promise.all([popup.waitForEvent('close'), popup.locator('button[value=pay]').click()]);
      return receivedMessage();
    };
    const declined = await through('4111111111110001');
    expect(declined).toEqual({ origin: new URL(payUrl).origin, data: { type: 'svc:payment', paymentId, result: 'FAILED' } });
    const [popup] = await Promise.all([page.waitForEvent('popup'), page.click('#go')]);
    expect(await popup.getByRole('alert').textContent()).toContain('한도 초과 또는 잔액 부족');
    await screens.shoot(popup, 'failed-popup');
    await popup.getByRole('button', { name: '다시 결제하기' }).click();
    await popup.getByRole('button', { name: '결제하기' }).click();
    await popup.waitForURL('**/window/toss**');
    await popup.fill('[name=card]', '4111111111110000');
    await Promise.all([popup.waitForEvent('close'), popup.locator('button[value=pay]').click()]);
    expect(await receivedMessage()).toMatchObject({ data: { result: 'COMPLETED', orderId: expect.any(String) } });
    expect((await status()).result).toBe('COMPLETED');
  });

  test('cancel goes back to the shop; opened again it says so and offers another try', async () => {
    const { payUrl, status } = await started();
    const page = await open(PHONE, 'en-US');
    await page.goto(payUrl);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.waitForURL((url) => url.searchParams.get('svcResult') === 'CANCELED');
    await page.goto(payUrl);
    expect(await page.getByRole('alert').textContent()).toBe('You canceled the payment.');
    await screens.shoot(page, 'canceled-phone-en');
    await page.getByRole('button', { name: 'Try again' }).click();
    expect(await page.getByRole('button', { name: 'Pay now' }).count()).toBe(1);
    expect((await status()).result).toBe('PENDING');
  });

  test('processing: no way to pay again, looks by itself and ends at the shop', async () => {
    const { payUrl } = await started();
    const page = await open(PHONE);
    await page.goto(payUrl);
    await page.getByRole('button', { name: '결제하기' }).click();
    await page.fill('[name=card]', '4111111111110020');
    await page.locator('button[value=pay]').click();
    await page.waitForURL((url) => url.pathname.startsWith('/pay/') && !url.pathname.endsWith('/return'));
    expect(await page.getByRole('status').textContent()).toContain('잠시만 기다려');
    expect(await page.getByRole('button').count()).toBe(0);
    await screens.shoot(page, 'processing-phone');
    await page.waitForURL((url) => url.searchParams.get('svcResult') === 'COMPLETED', { timeout: 30_000 });
  });

  test('expired: says that nothing was charged and leads back', async () => {
    const { payUrl } = await started();
    await shop.advance('PT11M');
    const page = await open(DESKTOP);
    await page.goto(payUrl);
    expect(await page.getByRole('heading').textContent()).toBe('결제 시간이 지났습니다');
    await screens.shoot(page, 'expired-desktop');
    await page.getByRole('link', { name: '상점으로 돌아가기' }).click();
    await page.waitForURL((url) => url.searchParams.get('svcResult') === 'EXPIRED');
  });
});
