/** The consent page in a real Chromium: keyboard, phone and desktop, both languages, no script, and the way back to the client. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { DESKTOP, isWide, PHONE, Screens } from '../../kernel/chromium.ts';
import { authorizeUrl, people, registerApp, storeToken } from '../../kernel/login.ts';
import { query, type World, world } from '../../kernel/world.ts';

const LONG_APP =
  '아주 긴 이름을 가진 주문 관리와 재고 정리와 배송 추적을 한 번에 해 주는 프로그램 2026 봄 개정판 WithoutAnySpaceInItsEnglishPart';
const LONG_STORE = '세상에서 가장 긴 이름의 수제 양모 머플러와 장갑 전문 상점';

let shop: World;
let client: Server;
let port: number;
let owner: string;
let staff: string;
const screens = new Screens('the consent page');

/** The client: `/app` is where it is sent back to, `/hop` leads on to another host of its own. */
const answer = (url: string) =>
  url.startsWith('/hop')
    ? { status: 302, headers: { location: `http://localhost:${port}/app${url.slice(4)}` } }
    : { status: 200, headers: {} };

beforeAll(async () => {
  shop = await world();
  await people(shop);
  staff = `staff@${shop.store.storeCode}.example`;
  owner = await storeToken(`owner@${shop.store.storeCode}.example`, shop.store.storeId);
  await query('UPDATE store SET name = $2 WHERE store_id = $1', [shop.store.storeId, LONG_STORE]);
  client = createServer((request, response) => {
    const { status, headers } = answer(request.url ?? '');
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end('<title>client</title>');
  });
  await new Promise<void>((resolve) => client.listen(0, '::', resolve));
  port = (client.address() as AddressInfo).port;
}, 60_000);
afterAll(() => void client.close());

/** A page of a fresh browser that stands before the question of a client that is sent back to `redirect`. */
async function openConsent(redirect: string, viewport = DESKTOP, locale = 'ko-KR', javaScriptEnabled = true): Promise<Page> {
  const scope = 'product:rw category:rw order:rw claim:rw settlement:r store:rw customer:rw member:rw';
  const { client_id: id } = await registerApp(owner, { client_name: LONG_APP, scope, redirect_uris: [redirect] });
  const page = await screens.open({ viewport, locale, javaScriptEnabled });
  await page.goto(authorizeUrl({ client_id: id, redirect_uri: redirect, scope: `${scope} offline_access` }).url);
  await page.fill('[name=login]', staff);
  await page.fill('[name=password]', 'any');
  await page.locator('button[type=submit]').first().click();
  await page.waitForURL('**/oauth2/consent/**');
  return page;
}
const focused = (page: Page) => page.evaluate('document.activeElement.textContent.trim()');
const backAt = async (page: Page, host: string): Promise<URLSearchParams> => {
  await page.waitForURL((url) => url.host === `${host}:${port}`);
  return new URL(page.url()).searchParams;
};

screens.describe('the consent page', () => {
  test.each([
    ['phone', PHONE, 'ko-KR', '허용', '거부'],
    ['desktop', DESKTOP, 'ko-KR', '허용', '거부'],
    ['phone-en', PHONE, 'en-US', 'Allow', 'Deny'],
    ['desktop-en', DESKTOP, 'en-US', 'Allow', 'Deny'],
  ] as const)('%s: fits, says who asks for what, and is answered with the keyboard alone', async (name, viewport, locale, yes, no) => {
    const page = await openConsent(`http://127.0.0.1:${port}/app`, viewport, locale);
    expect(await page.getAttribute('html', 'lang')).toBe(locale.slice(0, 2));
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    expect(await page.getByRole('heading', { level: 2 }).count()).toBe(1);
    const text = await page.locator('main').innerText();
    for (const part of [LONG_APP, LONG_STORE, staff, `127.0.0.1:${port}`, 'order:rw', 'settlement:r', 'member:rw'])
      expect(text).toContain(part);
    expect(await page.getByRole('listitem').count()).toBe(8);
    expect(await isWide(page)).toBe(false);
    for (const label of [yes, no])
      expect((await page.getByRole('button', { name: label, exact: true }).boundingBox())!.height).toBeGreaterThanOrEqual(44);
    await screens.shoot(page, `consent-${name}`, { fullPage: true });
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe(yes);
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe(no);
    await screens.shoot(page, `consent-${name}-focus`, { fullPage: true });
    await page.keyboard.press('Enter');
    expect(Object.fromEntries(await backAt(page, '127.0.0.1'))).toMatchObject({ error: 'access_denied', state: 'a-state' });
  });

  test.each([
    ['a loopback address', '127.0.0.1', '/app', '127.0.0.1'],
    ['an IPv6 loopback address', '[::1]', '/app', '[::1]'],
    ['a callback that leads on to another host of the client', '127.0.0.1', '/hop', 'localhost'],
  ])('allow leads the browser to %s, also without script', async (_, host, path, end) => {
    for (const scripted of [true, false]) {
      const page = await openConsent(`http://${host}:${port}${path}`, PHONE, 'ko-KR', scripted);
      await page.getByRole('button', { name: '허용' }).click();
      expect((await backAt(page, end)).get('code')).toMatch(/^[\w-]{43}$/);
      await screens.close();
    }
  });

  test('the page may be reloaded until it is answered', async () => {
    const page = await openConsent(`http://127.0.0.1:${port}/app`, PHONE);
    const question = page.url();
    await page.reload();
    await page.getByRole('button', { name: '거부' }).click();
    await backAt(page, '127.0.0.1');
    await page.goto(question);
    expect(await page.getByRole('heading').textContent()).toBe('로그인을 계속할 수 없습니다');
    await screens.shoot(page, 'consent-over', { fullPage: true });
    screens.complaints.splice(0, Infinity);
  });

  test('no other site can show it in a frame', async () => {
    const page = await openConsent(`http://127.0.0.1:${port}/app`);
    const question = page.url();
    await page.goto(`http://127.0.0.1:${port}/app`);
    const refusal = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
    await page.evaluate(`document.body.innerHTML = '<iframe src="${question}"></iframe>'`);
    await refusal;
    screens.complaints.splice(0);
    expect(await page.frames().at(-1)!.locator('button').count()).toBe(0);
  });
});
