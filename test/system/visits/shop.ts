/** A shop whose pages report visits, and what its seller reads of them. */
import { type Buyer, call, GUEST, type Headers_, OPTION, pay, type Reply } from '../../../bin/dev/client.ts';
import { underTest, type World } from '../../kernel/world.ts';

export const visitOf = (visitor: string, session = visitor): Headers_ => ({ 'x-svc-visitor': visitor, 'x-svc-session': session });
export const PAGE = { type: 'PAGE_VIEW', path: '/' } as const;
export const viewOf = (productId: string) => ({ type: 'PRODUCT_VIEW', path: `/products/${productId}`, productId });

/** Reports events of a visitor, at this API process. */
export const report = (
  { store }: World,
  visit: Headers_,
  events: readonly object[],
  { headers = {}, api = underTest.api }: { readonly headers?: Headers_; readonly api?: string } = {},
): Promise<Reply> =>
  call(api, 'POST', '/storefront/v1/events', { body: { events }, headers: { 'x-store-code': store.storeCode, ...visit, ...headers } });

/** The same, accepted. */
export async function visited(shop: World, visit: Headers_, events: readonly object[], headers: Headers_ = {}): Promise<void> {
  const { status, body } = await report(shop, visit, events, { headers });
  if (status !== 200) throw new Error(JSON.stringify(body.error));
}

export async function analytics(shop: World, path: string): Promise<Reply['body']['data']> {
  const { status, body } = await shop.seller.call('GET', `/v1/analytics/${path}`);
  if (status !== 200) throw new Error(JSON.stringify(body.error));
  return body.data;
}

/** Puts a product into the cart, starts to pay it and, unless it is left, pays: all of it in a visit. */
export async function buy(
  buyer: Buyer,
  productId: string,
  visit: Headers_,
  { quantity = 1, isLeft = false }: { readonly quantity?: number; readonly isLeft?: boolean } = {},
): Promise<void> {
  const cart = await buyer.call('POST', '/storefront/v1/cart/items', { productId, quantity }, visit);
  const cartItemIds = (cart.body.data.items as { cartItemId: string }[]).map(({ cartItemId }) => cartItemId);
  const { checkoutId } = (await buyer.call('POST', '/storefront/v1/checkout', { cartItemIds })).body.data as { checkoutId: string };
  const shippingAddress = { receiverName: 'r', phone: '010-1234-5678', zipCode: '06236', address1: 'a' };
  const body = { option: OPTION, returnUrl: 'http://localhost:9/', guest: GUEST, shippingAddress };
  const started = await buyer.call('POST', `/storefront/v1/checkout/${checkoutId}/payment`, body, visit);
  if (started.status !== 200) throw new Error(JSON.stringify(started.body.error));
  if (!isLeft) await pay(started.body.data.payUrl as string);
}

export const clockOf = async (shop: World): Promise<number> =>
  Date.parse((await shop.seller.call('GET', '/v1/sandbox/clock')).body.data.now as string);
