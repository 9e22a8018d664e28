/**
 * A walk that calls every operation once, as the examples of the OpenAPI documents show them. Recorded into `api/examples.json`
 * by `node_modules/.bin/node test/contract/recordExamples.ts`; walked again by the tests.
 */
import type { Example } from '../../api/kernel/examples.ts';
import { call, type Headers_, pay, type Reply } from '../kernel/http.ts';
import { exchange, loginAs } from '../kernel/login.ts';
import { type World, underTest, until } from '../kernel/world.ts';
import { seedMembers } from '../../bin/setup/stores.ts';

type Walked = Record<string, Example & { readonly status: number }>;

const ADDRESS = { receiverName: '김수령', phone: '010-2222-3333', zipCode: '06236', address1: '서울 강남구 테헤란로 1', address2: '3층' };
const GUEST = { name: '이구매', phone: '010-1111-2222', email: 'buyer@example.com', orderPassword: 'order-1234' };
const OPTION = { pg: 'tosspayments', method: 'CARD' };

type Note = (id: string, request: unknown, reply: Reply) => Reply['body']['data'];

/** What only people at the console do. */
async function atConsole({ store: { storeId, storeCode } }: World, note: Note): Promise<void> {
  const email = `owner@${storeCode}.example`;
  await seedMembers(underTest.databaseUrl, storeId, [{ role: 'OWNER', email }]);
  const { user } = await loginAs(email);
  const { access_token: bearer } = (await exchange(user.access_token, storeId)).body;
  const as = async (token: string, id: string, method: string, path: string, request?: unknown) =>
    note(id, request, await call(underTest.api, method, path, { body: request, headers: { authorization: `Bearer ${token}` } }));
  await as(user.access_token, 'me.listStores', 'GET', '/me/stores');
  const { tokenId } = await as(bearer, 'apiTokens.create', 'POST', '/v1/store/api-tokens', {
    name: 'ERP',
    scopes: ['order:rw', 'product:r'],
  });
  await as(bearer, 'apiTokens.list', 'GET', '/v1/store/api-tokens');
  await as(bearer, 'apiTokens.revoke', 'DELETE', `/v1/store/api-tokens/${tokenId}`);
  await as(bearer, 'members.list', 'GET', '/v1/store/members');
  const guest = `staff@${storeCode}.example`;
  const invited = { email: guest, role: 'STAFF' };
  const { invitationId } = await as(bearer, 'invitations.create', 'POST', '/v1/store/invitations', invited);
  await as(bearer, 'invitations.list', 'GET', '/v1/store/invitations?status=PENDING');
  // A resend before the first mail has gone leaves one mail: its link is the one that counts.
  const mailed = (count: number) =>
    until(`mail ${count}`, async () => {
      const mails = (await (await fetch(`${underTest.simulator}/__sim/mail`)).json()) as { to: string; text: string }[];
      return mails.filter(({ to }) => to === guest)[count - 1];
    });
  await mailed(1);
  await as(bearer, 'invitations.resend', 'POST', `/v1/store/invitations/${invitationId}/resend`);
  const mail = await mailed(2);
  const invitee = await loginAs(guest);
  const token = new URL(/https?:\S+/.exec(mail.text)![0]).searchParams.get('token');
  await as(invitee.user.access_token, 'invitations.accept', 'POST', '/v1/invitations/accept', { token });
  const { userId } = await as(bearer, 'members.list', 'GET', '/v1/store/members').then(({ items }) => (items as { userId: string }[])[1]!);
  await as(bearer, 'members.change', 'PATCH', `/v1/store/members/${userId}`, { role: 'ADMIN' });
  await as(bearer, 'members.remove', 'DELETE', `/v1/store/members/${userId}`);
  const other = await as(bearer, 'invitations.create', 'POST', '/v1/store/invitations', { ...invited, email: `other-${guest}` });
  await as(bearer, 'invitations.cancel', 'DELETE', `/v1/store/invitations/${other.invitationId}`);
  const { items } = await as(bearer, 'clients.list', 'GET', '/v1/store/api-clients?status=ACTIVE');
  const { clientId } = items[0];
  await as(bearer, 'clients.get', 'GET', `/v1/store/api-clients/${clientId}`);
  const registered = await fetch(`${underTest.api}/oauth2/register`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'ERP', grant_types: ['client_credentials'], scope: 'order:r' }),
  });
  const { client_id: erp } = (await registered.json()) as { client_id: string };
  await as(bearer, 'clients.rotateSecret', 'POST', `/v1/store/api-clients/${erp}/rotate-secret`);
  await as(bearer, 'clients.deactivate', 'POST', `/v1/store/api-clients/${erp}/deactivate`);
}

/** Walks a fresh store through everything; answers each operation's request, answer and status. */
export async function walk(shop: World): Promise<Walked> {
  const walked: Walked = {};
  const note = (id: string, request: unknown, { status, body }: Reply) => {
    if (body.error) throw new Error(`${id}: ${JSON.stringify(body.error)}`);
    walked[id] = { status, ...(request !== undefined && { request }), response: body.data };
    return body.data;
  };
  const sell = async (id: string, method: string, path: string, request?: unknown) =>
    note(id, request, await shop.seller.call(method, path, request));
  const shopHeaders: Headers_ = { 'x-store-code': shop.store.storeCode };
  const ask = async (id: string, method: string, path: string, request?: unknown, headers = shopHeaders) =>
    note(id, request, await call(underTest.api, method, path, { body: request, headers }));

  await sell('stores.get', 'GET', '/v1/store');
  await sell('stores.patch', 'PATCH', '/v1/store', { shippingPolicy: { freeThreshold: 50_000, jejuSurcharge: 3000 }, autoConfirmDays: 7 });
  const { categoryId } = await sell('categories.create', 'POST', '/v1/categories', { name: '머플러' });
  await sell('categories.list', 'GET', '/v1/categories');
  const product = await sell('products.create', 'POST', '/v1/products', {
    name: '양모 머플러',
    salePrice: 10_000,
    originalPrice: 15_000,
    categoryId,
    optionGroups: [{ name: '색상', values: ['회색', '남색'] }],
    variants: [
      { optionValues: ['회색'], stockQuantity: 10 },
      { optionValues: ['남색'], stockQuantity: 5, additionalPrice: 500 },
    ],
    fulfillment: { type: 'SHIPPING', shipping: { deliveryType: 'CONDITIONAL_FREE', deliveryFee: 3000, conditionalFreeAmount: 50_000 } },
  });
  const { productId } = product;
  const optionId = product.variants[0].variantId as string;
  await sell('products.list', 'GET', '/v1/products');
  await sell('products.get', 'GET', `/v1/products/${productId}`);
  await sell('products.changeStock', 'PATCH', `/v1/products/${productId}/variants/${optionId}/stock`, { adjustment: 5, reason: '입고' });
  const ticket = await shop.product({ name: '관람권', fulfillment: { type: 'MANUAL' } });
  await ask('storefront.listProducts', 'GET', '/storefront/v1/products');
  await ask('storefront.getProduct', 'GET', `/storefront/v1/products/${productId}`);
  const hook = await sell('webhooks.create', 'POST', '/v1/webhooks', {
    url: 'https://example.com/hooks',
    eventTypes: ['ORDER.PAID', 'ORDER.CANCELED'],
  });
  await sell('webhooks.list', 'GET', '/v1/webhooks');
  await sell('webhooks.get', 'GET', `/v1/webhooks/${hook.webhookId}`);

  const { cartToken } = await ask('auth.anonymous', 'POST', '/storefront/v1/auth/anonymous', {});
  const buyer = { ...shopHeaders, 'x-cart-token': cartToken as string };
  const shopping = (id: string, method: string, path: string, request?: unknown) => ask(id, method, path, request, buyer);
  const added = await shopping('cart.add', 'POST', '/storefront/v1/cart/items', { productId, optionId, quantity: 3 });
  const { cartItemId } = added.items[0];
  await shopping('cart.get', 'GET', '/storefront/v1/cart/items');
  await shopping('cart.change', 'PATCH', `/storefront/v1/cart/items/${cartItemId}`, { quantity: 3 });
  const { checkoutId } = await shopping('checkout.create', 'POST', '/storefront/v1/checkout', { cartItemIds: [cartItemId] });
  await shopping('checkout.get', 'GET', `/storefront/v1/checkout/${checkoutId}`);
  await shopping('checkout.quote', 'POST', `/storefront/v1/checkout/${checkoutId}/delivery-quote`, { zipCode: '63100' });
  const start = { option: OPTION, returnUrl: 'https://shop.example.com/done', shippingAddress: ADDRESS, guest: GUEST };
  const { paymentId } = await shopping('payments.start', 'POST', `/storefront/v1/checkout/${checkoutId}/payment`, start);
  const { payUrl } = await shopping('payments.retry', 'POST', `/storefront/v1/payments/${paymentId}/attempts`, { option: OPTION });
  await pay(payUrl as string);
  const { orderId } = await shopping('payments.status', 'GET', `/storefront/v1/payments/${paymentId}`);
  const spare = await shopping('cart.add', 'POST', '/storefront/v1/cart/items', { productId, optionId, quantity: 3 });
  await shopping('cart.remove', 'DELETE', `/storefront/v1/cart/items/${spare.items[0].cartItemId}`);

  const person = {
    email: 'buyer@example.com',
    password: 'correct-horse',
    name: '이구매',
    phone: '010-1111-2222',
    consents: [{ kind: 'TERMS', version: '2026-01' }, { kind: 'PRIVACY' }],
  };
  await ask('auth.signup', 'POST', '/storefront/v1/auth/signup', person);
  await ask('auth.login', 'POST', '/storefront/v1/auth/login', { email: person.email, password: person.password });
  await atConsole(shop, note);

  await sell('orders.list', 'GET', '/v1/orders');
  const order = await sell('orders.get', 'GET', `/v1/orders/${orderId}`);
  const item = order.items[0].orderItemId as string;
  await sell('orders.listItems', 'GET', '/v1/order-items');
  await sell('orders.getItem', 'GET', `/v1/order-items/${item}`);
  await sell('orders.flow', 'GET', `/v1/order-items/${item}/flow`);
  await sell('orders.carriers', 'GET', '/v1/carriers');
  const cancel = { reason: 'OUT_OF_STOCK', detail: '입고가 늦어집니다', quantity: 1, holdRefund: true };
  const { refundId } = await sell('orders.cancel', 'POST', `/v1/order-items/${item}/cancel`, cancel);
  // While the refund is held: once it is let go, its end is a matter of moments.
  await sell('payments.get', 'GET', `/v1/payments/${paymentId}`);
  await sell('refunds.process', 'POST', `/v1/payments/refunds/${refundId}/process`);
  await sell('orders.confirm', 'POST', `/v1/order-items/${item}/confirm`, {});
  const shipment = { deliveryMethod: 'COURIER', carrierCode: 'CJ', trackingNumber: '123456789012' };
  await sell('orders.dispatch', 'POST', `/v1/order-items/${item}/dispatch`, shipment);
  await sell('orders.delivered', 'POST', `/v1/order-items/${item}/delivered`, {});
  const provided = (await shop.order(ticket)).orderItemId;
  await sell('orders.fulfill', 'POST', `/v1/order-items/${provided}/fulfill`, { note: '쿠폰을 문자로 보냈습니다' });
  const many = (await shop.order({ productId: (await shop.product()).productId })).orderItemId;
  await sell('orders.confirmMany', 'POST', '/v1/order-items/confirm', { orderItemIds: [many] });
  await sell('orders.dispatchMany', 'POST', '/v1/order-items/dispatch', { items: [{ orderItemId: many, ...shipment }] });
  await sell('orders.deliverMany', 'POST', '/v1/order-items/delivered', { orderItemIds: [many] });
  const another = (await shop.order(ticket)).orderItemId;
  await sell('orders.fulfillMany', 'POST', '/v1/order-items/fulfill', { orderItemIds: [another], note: '현장 수령' });
  await sell('webhooks.listDeliveries', 'GET', `/v1/webhooks/${hook.webhookId}/deliveries`);
  await sell('sandbox.readClock', 'GET', '/v1/sandbox/clock');
  await sell('sandbox.advanceClock', 'POST', '/v1/sandbox/clock', { advance: 'P1D' });
  return walked;
}
