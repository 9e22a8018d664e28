/** The part of the walk (examples.ts) about members: what is their own, what the seller sees, and how one leaves. */
import { Buyer, call, type Reply } from '../../../bin/dev/client.ts';
import type { World } from '../../kernel/world.ts';

type Note = (id: string, request: unknown, reply: Reply) => Reply['body']['data'];

const HOME = {
  receiverName: '김수령',
  phone: '010-2222-3333',
  zipCode: '06236',
  address1: '서울 강남구 테헤란로 1',
  address2: '3층',
  name: '집',
};

export async function customers(shop: World, note: Note): Promise<void> {
  const { seller, store } = shop;
  const { storeCode } = store;
  const headers = { 'x-store-code': storeCode };
  const join = async (email: string) => {
    const consents = [{ kind: 'TERMS', version: '2026-01' }, { kind: 'PRIVACY' }];
    const body = { email, password: 'correct-horse', name: '박회원', phone: '010-4444-5555', consents };
    const { data } = (await call(seller.base, 'POST', '/storefront/v1/auth/signup', { body, headers })).body;
    const member = new Buyer(seller.base, { ...headers, authorization: `Bearer ${data.accessToken as string}` });
    return { member, customerId: data.customerId as string, email };
  };
  const { member, customerId } = await join(`park@${storeCode}.example`);
  const own = async (id: string, method: string, path: string, request?: object) =>
    note(id, request, await member.call(method, `/storefront/v1/me${path}`, request));
  await own('addressBook.add', 'POST', '/addresses', HOME);
  const { addressId } = await own('addressBook.add', 'POST', '/addresses', { ...HOME, name: '회사', isDefault: false });
  await own('addressBook.replace', 'PUT', `/addresses/${addressId as string}`, { ...HOME, name: '회사', address2: '5층' });
  await own('addressBook.list', 'GET', '/addresses');
  await own('addressBook.remove', 'DELETE', `/addresses/${addressId as string}`);
  const { productId } = await shop.product();
  await own('wishlist.add', 'POST', '/wishlist', { productId });
  await own('wishlist.list', 'GET', '/wishlist');
  await own('wishlist.remove', 'DELETE', `/wishlist/${productId}`);
  await own('consents.change', 'POST', '/consents', { kind: 'MARKETING', action: 'AGREE', version: '2026-03' });
  await own('consents.get', 'GET', '/consents');

  const sell = async (id: string, method: string, path: string, request?: object) =>
    note(id, request, await seller.call(method, `/v1/customers${path}`, request));
  await sell('customers.list', 'GET', '?marketingConsent=true&sort=-purchaseAmount');
  await sell('customers.get', 'GET', `/${customerId}`);
  await sell('customers.listOrders', 'GET', `/${customerId}/orders`);
  await sell('customers.changeConsent', 'POST', `/${customerId}/consents`, { kind: 'MARKETING', action: 'WITHDRAW' });
  await sell('customers.listConsents', 'GET', `/${customerId}/consents?kind=MARKETING`);
  const leaving = await join(`choi@${storeCode}.example`);
  await sell('customers.withdraw', 'POST', `/${leaving.customerId}/withdraw`, { reason: '본인 요청', confirmation: leaving.email });
  const password = { password: 'correct-horse' };
  note('auth.withdraw', password, await member.call('POST', '/storefront/v1/auth/withdraw', password));
}
