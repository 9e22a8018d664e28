/** The payment screen over HTTP: both providers, the choice between ways to pay, failover, and the way back. */
import { describe, expect, test } from '@jest/globals';
import { call, formOf, get, pay } from '../../../bin/dev/client.ts';
import { query, underTest, until, type World } from '../../kernel/world.ts';
import { attemptsOf, CARD, formsOf, KAKAO, shopWith, submit } from './shop.ts';

const result = (url: URL): string | null => url.searchParams.get('svcResult');
const PORTONE_CARD = { pg: 'portone', method: 'CARD' };
const REFUSED = '4111111111110060';
const DECLINED = '4111111111110001';

async function started(shop: World, option?: object): Promise<{ payUrl: string; paymentId: string; status: () => Promise<object> }> {
  const { productId } = await shop.product();
  const buyer = await shop.buyer();
  const { checkoutId } = (await buyer.checkout(productId)).body.data as { checkoutId: string };
  const { status, body } = await buyer.start(checkoutId, option && { option });
  if (status !== 200) throw new Error(JSON.stringify(body.error));
  const { payUrl, paymentId } = body.data as { payUrl: string; paymentId: string };
  return { payUrl, paymentId, status: async () => (await buyer.status(paymentId)).body.data as object };
}

describe('the pay page', () => {
  test('of PortOne names its window’s arguments, no secret, and is paid', async () => {
    const shop = await shopWith();
    const { payUrl, paymentId, status } = await started(shop, PORTONE_CARD);
    const { text, headers } = await get(payUrl);
    const form = formOf(text, 'pay')!;
    const name = shop.store.storeCode.replaceAll('-', '');
    expect(form.action).toBe(`${underTest.simulator}/window/portone`);
    expect(form.fields).toMatchObject({
      storeId: `store-${name}`,
      channelKey: `channel-key-${name}`,
      totalAmount: '13000',
      currency: 'KRW',
      payMethod: 'CARD',
      forceRedirect: 'true',
      noticeUrls: expect.stringMatching(new RegExp(`^${underTest.api}/payment-notifications/[\\w-]{20,}$`)),
      redirectUrl: expect.stringMatching(new RegExp(`^${underTest.api}/pay/${paymentId}/return\\?attemptId=att_`)),
    });
    expect(text).not.toMatch(/secret|whsec_|test_sk_/);
    expect(headers.get('content-security-policy')).toContain(`form-action 'self' ${underTest.simulator} http://localhost:9;`);
    expect(result(await pay(payUrl))).toBe('COMPLETED');
    expect(await status()).toMatchObject({ status: 'completed', lastFailure: null });
    expect(await attemptsOf(paymentId)).toEqual(['portone CARD APPROVED']);
  });
  test('of a PortOne channel that approves by itself is paid without a token', async () => {
    const { payUrl, paymentId } = await started(await shopWith(), PORTONE_CARD);
    expect(result(await pay(payUrl, '4111111111110070'))).toBe('COMPLETED');
    expect(await attemptsOf(paymentId)).toEqual(['portone CARD APPROVED']);
  });
  test('of a wallet is a card payment at TossPayments whose window opens at the wallet', async () => {
    const shop = await shopWith({ toss: [KAKAO], portone: null });
    const { payUrl, paymentId } = await started(shop, { pg: 'tosspayments', ...KAKAO });
    const { text } = await get(payUrl);
    expect(formOf(text, 'pay')!.fields).toMatchObject({ method: 'CARD', flowMode: 'DIRECT', easyPay: 'KAKAOPAY' });
    expect(text).toContain('<dd>카카오페이</dd>');
    expect(result(await pay(payUrl))).toBe('COMPLETED');
    expect(await attemptsOf(paymentId)).toEqual(['tosspayments KAKAOPAY APPROVED']);
  });
  test('keeps the keys of its own credential set when they were replaced', async () => {
    const { payUrl } = await started(await shopWith({ portone: null }));
    await query(
      `UPDATE payment_credential SET retired_at = now(), is_newest = false, is_serving = false WHERE credential_id =
      (SELECT credential_id FROM payment_attempt WHERE attempt_id = $1)`,
      [new URL(payUrl).searchParams.get('attemptId')],
    );
    expect(formOf((await get(payUrl)).text, 'pay')!.fields).toMatchObject({ clientKey: 'test_ck_sangjeom' });
  });
  test('is Korean or English, and stays so', async () => {
    const { payUrl } = await started(await shopWith({ portone: null }));
    const { text } = await get(payUrl);
    const english = new URL(/<a href="([^"]*)" lang="en"/.exec(text)![1]!.replaceAll('&amp;', '&'), payUrl);
    const translated = await get(english.href);
    expect(translated.text).toContain('<html lang="en">');
    expect(new URL(formOf(translated.text, 'pay')!.fields['successUrl']!).searchParams.get('lang')).toBe('en');
    expect(translated.text.indexOf('lang="ko"')).toBeGreaterThan(translated.text.lastIndexOf('</form>'));
  });
});

describe('another way to pay', () => {
  test('is a form after the first one, and an attempt of its own', async () => {
    const shop = await shopWith({ toss: [CARD, KAKAO], portone: [CARD] });
    const { payUrl, paymentId } = await started(shop);
    const forms = formsOf((await get(payUrl)).text);
    expect(forms.map(({ id, button }) => [id, button])).toEqual([
      ['pay', '결제하기'],
      ['way', '카카오페이 결제로 바꾸기'],
      ['cancel', '취소'],
    ]);
    const chosen = await submit(payUrl, forms[1]!);
    expect(formOf(chosen.text, 'pay')!.fields).toMatchObject({ easyPay: 'KAKAOPAY' });
    // A second click finds the same attempt.
    expect((await submit(payUrl, forms[1]!)).url).toBe(chosen.url);
    expect(result(await pay(chosen.url))).toBe('COMPLETED');
    expect(await attemptsOf(paymentId)).toEqual(['tosspayments CARD SUPERSEDED', 'tosspayments KAKAOPAY APPROVED']);
  });
  test('two clicks at once start one attempt', async () => {
    const { payUrl, paymentId } = await started(await shopWith({ toss: [CARD, KAKAO], portone: null }));
    const [, way] = formsOf((await get(payUrl)).text);
    const [one, two] = await Promise.all([submit(payUrl, way!), submit(payUrl, way!)]);
    expect(one.url).toBe(two.url);
    expect(await attemptsOf(paymentId)).toHaveLength(2);
  });
  test('with PRIORITY_DISPLAY names the provider of the same method', async () => {
    const { payUrl, paymentId } = await started(await shopWith({ routing: 'PRIORITY_DISPLAY' }));
    const { text } = await get(payUrl);
    expect(text).toContain('<dd>신용·체크카드 (토스페이먼츠)</dd>');
    const [, way] = formsOf(text);
    expect(way!.button).toBe('신용·체크카드 (포트원) 결제로 바꾸기');
    expect(result(await pay((await submit(payUrl, way!)).url))).toBe('COMPLETED');
    expect(await attemptsOf(paymentId)).toEqual(['tosspayments CARD SUPERSEDED', 'portone CARD APPROVED']);
  });
  test('that is not there is refused', async () => {
    const { payUrl, paymentId } = await started(await shopWith({ portone: null }));
    const retry = payUrl.replace('?', '/retry?');
    const post = async (more: string) => (await fetch(retry + more, { method: 'POST', redirect: 'manual' })).status;
    expect(await post('&pg=tosspayments&method=MOBILE')).toBe(409);
    expect(await post('&pg=portone&method=CARD')).toBe(409);
    expect(await post('&pg=nobody&method=CARD')).toBe(400);
    expect(await post('&pg=tosspayments&method=EASY_PAY&provider=NOPAY')).toBe(400);
    expect(await attemptsOf(paymentId)).toEqual(['tosspayments CARD OPEN']);
  });
});

describe('a window that refuses before the buyer can pay', () => {
  test('leads to the next provider, once, whatever is read again', async () => {
    const { payUrl, paymentId, status } = await started(await shopWith());
    const next = await pay(payUrl, REFUSED);
    expect(next.pathname).toBe(`/pay/${paymentId}`);
    const { text } = await get(next.href);
    expect(text).toContain('다른 결제 창으로 바꾸었습니다');
    expect(await status()).toMatchObject({ result: 'PENDING', lastFailure: { code: 'NOT_SUPPORTED_METHOD', optionUnavailable: true } });
    const again = await get(`${payUrl.replace('?', '/fail?')}&code=NOT_SUPPORTED_METHOD`);
    expect([again.status, again.location?.href]).toEqual([303, next.href]);
    expect(result(await pay(next.href))).toBe('COMPLETED');
    expect(await attemptsOf(paymentId)).toEqual(['tosspayments CARD DECLINED NOT_SUPPORTED_METHOD', 'portone CARD APPROVED']);
  });
  test('at the same time twice leads to one attempt', async () => {
    const { payUrl, paymentId } = await started(await shopWith());
    const fail = `${payUrl.replace('?', '/fail?')}&code=NOT_AVAILABLE_PAYMENT`;
    const ends = await Promise.all([get(fail), get(fail), get(fail)]);
    expect(new Set(ends.map(({ location }) => location?.href)).size).toBe(1);
    expect(await attemptsOf(paymentId)).toEqual(['tosspayments CARD DECLINED NOT_AVAILABLE_PAYMENT', 'portone CARD OPEN']);
  });
  test('after a request that died between refusal and next attempt, the next request goes on', async () => {
    const { payUrl, paymentId } = await started(await shopWith({ routing: 'PRIORITY_DISPLAY' }));
    expect(result(await pay(payUrl, REFUSED))).toBe('FAILED');
    await query(
      `UPDATE payment_settings SET routing = 'AUTO_FAILOVER' WHERE store_id = (SELECT store_id FROM payment WHERE payment_id = $1)`,
      [paymentId],
    );
    const { location } = await get(`${payUrl.replace('?', '/fail?')}&code=NOT_SUPPORTED_METHOD`);
    expect(location?.pathname).toBe(`/pay/${paymentId}`);
    expect(await attemptsOf(paymentId)).toHaveLength(2);
  });
  test('of both providers leads back to the shop, each tried once; PortOne’s code stays as it is', async () => {
    const { payUrl, paymentId, status } = await started(await shopWith());
    const next = await pay(payUrl, REFUSED);
    expect(result(await pay(next.href, REFUSED))).toBe('FAILED');
    expect(await attemptsOf(paymentId)).toEqual([
      'tosspayments CARD DECLINED NOT_SUPPORTED_METHOD',
      'portone CARD DECLINED ChannelNotFound',
    ]);
    expect(await status()).toMatchObject({ status: 'pending', lastFailure: { category: 'METHOD_UNAVAILABLE', code: 'ChannelNotFound' } });
    // Neither is offered once more.
    const { text } = await get(next.href);
    expect([formsOf(text), text.includes('상점으로 돌아가기')]).toEqual([[], true]);
  });
  test('with PRIORITY_DISPLAY leads back; opened again, the page offers the other provider', async () => {
    const { payUrl, paymentId } = await started(await shopWith({ routing: 'PRIORITY_DISPLAY' }));
    expect(result(await pay(payUrl, REFUSED))).toBe('FAILED');
    const forms = formsOf((await get(payUrl)).text);
    expect(forms.map(({ id, button }) => [id, button])).toEqual([['way', '신용·체크카드 (포트원) 결제로 바꾸기']]);
    expect(result(await pay((await submit(payUrl, forms[0]!)).url))).toBe('COMPLETED');
    expect(await attemptsOf(paymentId)).toHaveLength(2);
  });
  test.each([
    ['a decline', DECLINED, 'FAILED', 'DECLINED REJECT_CARD_PAYMENT'],
    ['a cancel', '4111111111110010', 'CANCELED', 'CANCELED PAY_PROCESS_CANCELED'],
    ['401 at the confirm', '4111111111110050', 'FAILED', 'DECLINED UNAUTHORIZED_KEY'],
  ])('is none after %s', async (_, card, wanted, end) => {
    const { payUrl, paymentId } = await started(await shopWith());
    expect(result(await pay(payUrl, card))).toBe(wanted);
    expect(await attemptsOf(paymentId)).toEqual([`tosspayments CARD ${end}`]);
  });
});

describe('the failed page', () => {
  test('after a decline leads on in the same way, in others, and back', async () => {
    const shop = await shopWith({ toss: [CARD, KAKAO], portone: null });
    const { payUrl, paymentId } = await started(shop);
    await pay(payUrl, DECLINED);
    const { text } = await get(payUrl);
    const forms = formsOf(text);
    expect(forms.map(({ id, button }) => [id, button])).toEqual([
      ['retry', '다시 결제하기'],
      ['way', '카카오페이 결제로 바꾸기'],
    ]);
    expect(text).toContain(`svcPaymentId=${paymentId}&amp;svcResult=FAILED`);
    expect(result(await pay((await submit(payUrl, forms[0]!)).url))).toBe('COMPLETED');
    expect(await attemptsOf(paymentId)).toEqual(['tosspayments CARD DECLINED REJECT_CARD_PAYMENT', 'tosspayments CARD APPROVED']);
  });
  test('after 401 at the confirm offers the other provider only', async () => {
    const { payUrl, paymentId } = await started(await shopWith());
    await pay(payUrl, '4111111111110050');
    const forms = formsOf((await get(payUrl)).text);
    expect(forms.map(({ id }) => id)).toEqual(['way']);
    expect(result(await pay((await submit(payUrl, forms[0]!)).url))).toBe('COMPLETED');
    expect((await attemptsOf(paymentId)).at(-1)).toBe('portone CARD APPROVED');
  });
});

describe('a provider whose circuit is open', () => {
  const openCircuit = ({ store: { storeId } }: World, interval: string, provider = 'tosspayments') =>
    query(`INSERT INTO payment_circuit (store_id, provider, environment, open_until) VALUES ($1, $3, 'TEST', now() + $2::interval)`, [
      storeId,
      interval,
      provider,
    ]);
  test('refuses another try with a page that says when', async () => {
    const shop = await shopWith({ portone: null });
    const { payUrl } = await started(shop);
    await pay(payUrl, DECLINED);
    await openCircuit(shop, '50 s');
    const response = await fetch(payUrl.replace('?', '/retry?'), { method: 'POST', redirect: 'manual' });
    expect([response.status, Number(response.headers.get('retry-after')) > 30]).toEqual([503, true]);
    expect(await response.text()).toContain('지금은 쓸 수 없는 결제 수단입니다');
  });
  test('is read before another try when its time is over', async () => {
    const shop = await shopWith({ portone: null });
    const { payUrl, paymentId } = await started(shop);
    await pay(payUrl, DECLINED);
    await openCircuit(shop, '-1 s');
    const [form] = formsOf((await get(payUrl)).text);
    expect(result(await pay((await submit(payUrl, form!)).url))).toBe('COMPLETED');
    await until(
      'closed',
      async () => (await query('SELECT 1 FROM payment_circuit WHERE store_id = $1', [shop.store.storeId])).length === 0,
    );
    expect(await attemptsOf(paymentId)).toHaveLength(2);
  });
  test('is no next provider after a window that refused; when its time is over, it is read before', async () => {
    const shop = await shopWith();
    const [early, late] = [await started(shop), await started(shop)];
    await openCircuit(shop, '50 s', 'portone');
    expect(result(await pay(early.payUrl, REFUSED))).toBe('FAILED');
    await query(`UPDATE payment_circuit SET open_until = now() - interval '1 s' WHERE store_id = $1`, [shop.store.storeId]);
    expect((await pay(late.payUrl, REFUSED)).pathname).toBe(`/pay/${late.paymentId}`);
    expect(await query('SELECT 1 FROM payment_circuit WHERE store_id = $1', [shop.store.storeId])).toEqual([]);
  });
});

test('a return of PortOne that is about another payment, or about none, changes nothing', async () => {
  const { payUrl, paymentId } = await started(await shopWith(), PORTONE_CARD);
  const back = payUrl.replace('?', '/return?');
  expect((await get(`${back}&paymentId=x&txId=t&paymentToken=p`)).status).toBe(409);
  expect((await get(`${back}&paymentId=x&code=ChannelNotFound`)).status).toBe(409);
  expect((await get(back)).status).toBe(400);
  expect(await attemptsOf(paymentId)).toEqual(['portone CARD OPEN']);
  expect((await call(underTest.api, 'GET', `/storefront/v1/payments/${paymentId}`)).body.data).toMatchObject({ result: 'PENDING' });
});
