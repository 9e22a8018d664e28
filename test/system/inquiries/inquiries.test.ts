/** Inquiries about products: who reads what, answers, the seller's list, events. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Buyer, call } from '../../../bin/dev/client.ts';
import { Desk } from '../../kernel/approvals.ts';
import { query, underTest } from '../../kernel/world.ts';
import { codeOf, dataOf, type Fields, ReviewShop } from '../reviews/shop.ts';

let shop: ReviewShop;
let productId: string;
beforeAll(async () => {
  // Inquiries need no order: a shop of test payments has them too.
  shop = await ReviewShop.open({ live: false });
  productId = await shop.product();
});
const write = (fields: Fields, who: Buyer = shop.member, product = productId) =>
  who.call('POST', `/storefront/v1/products/${product}/inquiries`, fields);
const written = async (fields: Fields, product = productId): Promise<string> => dataOf(await write(fields, shop.member, product)).inquiryId;
const answer = (inquiryId: string, content: string) => shop.world.seller.call('POST', `/v1/inquiries/${inquiryId}/answer`, { content });

test('an inquiry is answered whole, sent without a word of it, and waits', async () => {
  const reply = await write({ title: '크기', content: '몇 센티인가요?' });
  expect(reply.status).toBe(201);
  const { inquiryId } = reply.body.data as { inquiryId: string };
  const shown = {
    inquiryId: expect.stringMatching(/^inq_/),
    productId,
    productName: '양모 머플러',
    authorName: '회**',
    title: '크기',
    content: '몇 센티인가요?',
    isSecret: false,
    status: 'WAITING',
    answer: null,
    createdAt: expect.stringMatching(/\+09:00$/),
  };
  expect(reply.body.data).toEqual({ ...shown, customerId: expect.stringMatching(/^cus_/) });
  expect(await shop.events('INQUIRY.CREATED')).toEqual([{ inquiryId, productId }]);
  expect(dataOf(await shop.shown(productId, 'inquiries'))).toEqual({ items: [shown], page: 1, size: 20, total: 1 });
  expect(dataOf(await shop.member.call('GET', '/storefront/v1/me/inquiries')).items).toEqual([shown]);
  const { items } = dataOf(await shop.world.seller.call('GET', `/v1/inquiries?productId=${productId}`));
  expect(items).toEqual([{ ...reply.body.data, authorName: '회원' }]);
});

test('only members write, and only about what buyers see', async () => {
  expect(codeOf(await write({ content: 'x' }, await shop.world.buyer()))).toEqual([401, 'UNAUTHORIZED']);
  const hidden = await shop.product();
  dataOf(await shop.world.seller.call('PATCH', `/v1/products/${hidden}`, { status: 'STOPPED' }));
  for (const product of [hidden, 'prd_none'])
    expect(codeOf(await write({ content: 'x' }, shop.member, product))).toEqual([404, 'PRODUCT_NOT_FOUND']);
  for (const fields of [
    {},
    { content: '' },
    { content: ' ' },
    { content: 'x'.repeat(2001) },
    { content: 'x', title: '' },
    { content: 'x', zz: 1 },
  ])
    expect(codeOf(await write(fields))).toEqual([400, 'VALIDATION_FAILED']);
  expect((await write({ content: 'x'.repeat(2000), title: 'x'.repeat(100) })).status).toBe(201);
});

describe('a secret inquiry', () => {
  let inquiryId: string;
  let product: string;
  beforeAll(async () => {
    product = await shop.product();
    inquiryId = await written({ title: '비밀', content: '제 주문 번호는 …', isSecret: true }, product);
    dataOf(await answer(inquiryId, '확인했습니다'));
  });
  const seenBy = async (who: Buyer | null) => dataOf(await shop.shown(product, 'inquiries', '', who)).items[0] as Fields;

  test('is read by its author and its seller, and shows others that it is there', async () => {
    const whole = { title: '비밀', content: '제 주문 번호는 …', answer: { content: '확인했습니다' } };
    expect(await seenBy(shop.member)).toMatchObject(whole);
    expect(dataOf(await shop.member.call('GET', '/storefront/v1/me/inquiries')).items[0]).toMatchObject(whole);
    expect(dataOf(await shop.world.seller.call('GET', `/v1/inquiries?productId=${product}`)).items[0]).toMatchObject(whole);
    const bare = { inquiryId, isSecret: true, status: 'ANSWERED', authorName: '회**', title: null, content: null, answer: null };
    for (const who of [null, await shop.world.buyer(), await shop.world.member()]) {
      const seen = await seenBy(who);
      expect(seen).toMatchObject(bare);
      expect(JSON.stringify(seen)).not.toMatch(/비밀|주문 번호|확인했습니다|cus_/);
    }
  });
  test('a token that counts no more, or is of another shop, is as none', async () => {
    const elsewhere = await (await ReviewShop.open({ live: false })).world.member();
    const authorization = elsewhere.headers['authorization']!;
    for (const value of [authorization, 'Bearer x', 'x']) {
      const { items } = dataOf(
        await shop.member.call('GET', `/storefront/v1/products/${product}/inquiries`, undefined, { authorization: value }),
      );
      expect(items[0]).toMatchObject({ title: null, content: null, answer: null });
    }
  });
});

describe('an answer', () => {
  test('replaces the one before, moves its time, and sends nothing', async () => {
    const inquiryId = await written({ content: '언제 오나요?' });
    const events = await shop.events('INQUIRY.CREATED');
    const first = dataOf(await answer(inquiryId, '내일 갑니다'));
    expect(first).toMatchObject({ status: 'ANSWERED', authorName: '회원', answer: { content: '내일 갑니다' } });
    await shop.world.advance('PT1H');
    const second = dataOf(await answer(inquiryId, '모레 갑니다'));
    expect(second.answer.content).toBe('모레 갑니다');
    expect(Date.parse(second.answer.answeredAt as string)).toBeGreaterThan(Date.parse(first.answer.answeredAt as string));
    expect(await shop.events('INQUIRY.CREATED')).toEqual(events);
  });
  test('to what is not there, or is another store’s, is INQUIRY_NOT_FOUND', async () => {
    const rival = await ReviewShop.open({ live: false });
    const theirs = dataOf(await write({ content: 'x' }, rival.member, await rival.product())).inquiryId as string;
    for (const id of [theirs, 'inq_none']) expect(codeOf(await answer(id, 'x'))).toEqual([404, 'INQUIRY_NOT_FOUND']);
    expect(codeOf(await answer(await written({ content: 'x' }), ' '))).toEqual([400, 'VALIDATION_FAILED']);
  });
  test('is an agent’s to give, and the audit log has that it was given, not what', async () => {
    const desk = await Desk.open(shop.world);
    const inquiryId = await written({ content: '재입고 되나요?' });
    const { headers } = await desk.agent(['inquiry:rw']);
    const { status, body } = await call(underTest.api, 'POST', `/v1/inquiries/${inquiryId}/answer`, {
      body: { content: '다음 주입니다' },
      headers,
    });
    expect([status, body.data?.status]).toEqual([200, 'ANSWERED']);
    await desk.close();
    const log = await query('SELECT target_type, target_id, metadata FROM audit_request WHERE store_id = $1 AND target_id = $2', [
      shop.storeId,
      inquiryId,
    ]);
    expect(log).toMatchObject([{ target_type: 'INQUIRY' }]);
    expect(JSON.stringify(log)).not.toMatch(/재입고|다음 주/);
    expect(JSON.stringify(log)).toContain('WAITING');
  });
});

test('a seller lists them by status and product, with totals; an unknown status is INVALID_PARAMETER', async () => {
  const own = await ReviewShop.open({ live: false });
  const [one, other] = [await own.product(), await own.product()];
  const make = async (product: string) => dataOf(await write({ content: 'x' }, own.member, product)).inquiryId as string;
  const [a, b, c] = [await make(one), await make(one), await make(other)];
  const seller = own.world.seller;
  dataOf(await seller.call('POST', `/v1/inquiries/${b}/answer`, { content: 'y' }));
  const listed = async (search: string) => {
    const { items, total } = dataOf(await seller.call('GET', `/v1/inquiries${search}`)) as {
      items: { inquiryId: string }[];
      total: number;
    };
    return [items.map(({ inquiryId }) => inquiryId), total];
  };
  expect(await listed('')).toEqual([[c, b, a], 3]);
  expect(await listed('?status=WAITING')).toEqual([[c, a], 2]);
  expect(await listed('?status=ANSWERED')).toEqual([[b], 1]);
  expect(await listed(`?productId=${one}`)).toEqual([[b, a], 2]);
  expect(await listed(`?productId=${one}&status=WAITING`)).toEqual([[a], 1]);
  expect(await listed(`?productId=${other}&status=ANSWERED`)).toEqual([[], 0]);
  expect(await listed('?size=1&page=2')).toEqual([[b], 3]);
  for (const status of ['', 'waiting', 'WAITING,ANSWERED', 'x'])
    expect(codeOf(await seller.call('GET', `/v1/inquiries?status=${status}`))).toEqual([400, 'INVALID_PARAMETER']);
});
