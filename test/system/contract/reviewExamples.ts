/** The part of the walk (examples.ts) in which members review and inquire, and their seller answers: in a shop of real payments. */
import { underTest } from '../../kernel/world.ts';
import { call, type Reply } from '../../../bin/dev/client.ts';
import { ReviewShop } from '../reviews/shop.ts';

type Note = (id: string, request: unknown, reply: Reply) => Reply['body']['data'];

export async function reviews(note: Note): Promise<void> {
  const open = await ReviewShop.open();
  const { world: shop, member } = open;
  const productId = await open.product({
    name: '관람권',
    stockQuantity: undefined,
    optionGroups: [{ name: '좌석', values: ['1층'] }],
    variants: [{ optionValues: ['1층'], stockQuantity: 100 }],
  });
  const { orderItemId } = await open.decided(productId);
  const buy = async (id: string, method: string, path: string, request?: object) =>
    note(id, request, await member.call(method, `/storefront/v1/${path}`, request));
  const show = async (id: string, path: string) =>
    note(id, undefined, await call(underTest.api, 'GET', `/storefront/v1/${path}`, { headers: { 'x-store-code': shop.store.storeCode } }));
  const sell = async (id: string, method: string, path: string, request?: object) =>
    note(id, request, await shop.seller.call(method, path, request));

  const images = ['https://images.example.com/reviews/front-row.png'];
  const review = { orderItemId, rating: 4, content: '자리가 좋았습니다', images };
  const { reviewId } = await buy('reviews.create', 'POST', `products/${productId}/reviews`, review);
  const changed = { rating: 5, content: '자리가 좋았고 다시 가고 싶습니다', images };
  await buy('reviews.change', 'PATCH', `me/reviews/${reviewId}`, changed);
  await buy('reviews.listMine', 'GET', 'me/reviews');
  await show('reviews.listShown', `products/${productId}/reviews`);
  await sell('reviews.list', 'GET', `/v1/reviews?productId=${productId}&rating=5`);
  await buy('reviews.remove', 'DELETE', `me/reviews/${reviewId}`);

  const inquiry = { title: '입장 시간', content: '몇 시부터 들어갈 수 있나요?', isSecret: false };
  const { inquiryId } = await buy('inquiries.create', 'POST', `products/${productId}/inquiries`, inquiry);
  await sell('inquiries.answer', 'POST', `/v1/inquiries/${inquiryId}/answer`, { content: '시작 30분 전부터입니다.' });
  await sell('inquiries.list', 'GET', '/v1/inquiries?status=ANSWERED');
  await show('inquiries.listShown', `products/${productId}/inquiries`);
  await buy('inquiries.listMine', 'GET', 'me/inquiries');
}
