/**
 * A walk that calls every operation once, as the examples of the OpenAPI documents show them: by hand where an operation needs
 * something to have happened, else as it is declared. Recorded into `api/examples.json`
 * by `node_modules/.bin/node test/system/contract/recordExamples.ts`; walked again by the tests.
 */
import { endpoints } from '../../../api/endpoints.ts';
import type { Endpoint } from '../../../api/declare/endpoint.ts';
import type { Example } from '../../../api/documents/examples.ts';
import { Buyer, call, type Headers_, pay, type Reply } from '../../../bin/dev/client.ts';
import { Desk } from '../../kernel/approvals.ts';
import { exchange, loginAs, storeToken } from '../../kernel/login.ts';
import { type World, underTest, until, seedMembers } from '../../kernel/world.ts';
import { claims, guestClaims } from './claimExamples.ts';
import { customers } from './customerExamples.ts';
import { callDeclared } from './declared.ts';
import { paymentSettings } from './paymentExamples.ts';
import { sales, visits } from './salesExamples.ts';
import { reviews } from './reviewExamples.ts';
import { flows } from './flowExamples.ts';
import { engraved } from './actionExamples.ts';
import { addressChanges } from './addressExamples.ts';
import { points } from './pointExamples.ts';
import { pricing } from './pricingExamples.ts';

type Walked = Record<string, Example & { readonly status: number; readonly cacheControl: string | null }>;

const ADDRESS = { receiverName: '김수령', phone: '010-2222-3333', zipCode: '06236', address1: '서울 강남구 테헤란로 1', address2: '3층' };
/** A name that nobody ever has, so that the walk goes the same way everywhere. */
const RECEIVER = 'https://hooks.example.invalid/svc';
const GUEST = { name: '이구매', phone: '010-1111-2222', email: 'buyer@example.com', orderPassword: 'order-1234' };
const OPTION = { pg: 'tosspayments', method: 'CARD' };

type Note = (id: string, request: unknown, reply: Reply) => Reply['body']['data'];

type Walk = (id: string, method: string, path: string, request?: unknown) => Promise<Reply['body']['data']>;

async function addressBook(as: Walk): Promise<void> {
  const warehouse = {
    type: 'SHIPPING',
    name: '본사 창고',
    receiver: '이출고',
    mobile: '010-3333-4444',
    zipCode: '06236',
    address: '서울 강남구 테헤란로 2',
    detailAddress: '1층',
  };
  await as('addresses.create', 'POST', '/v1/seller-addresses', warehouse);
  const { addressId } = await as('addresses.create', 'POST', '/v1/seller-addresses', { ...warehouse, name: '제2 창고' });
  await as('addresses.list', 'GET', '/v1/seller-addresses?type=SHIPPING');
  await as('addresses.get', 'GET', `/v1/seller-addresses/${addressId}`);
  await as('addresses.replace', 'PUT', `/v1/seller-addresses/${addressId}`, { ...warehouse, name: '제2 창고', mobile: '010-5555-6666' });
  await as('addresses.makeDefault', 'POST', `/v1/seller-addresses/${addressId}/default`);
  const spare = await as('addresses.create', 'POST', '/v1/seller-addresses', warehouse);
  await as('addresses.remove', 'DELETE', `/v1/seller-addresses/${spare.addressId}`);
  const shop = { name: '강남점', address: '서울 강남구 테헤란로 3', contact: '02-555-0000', availableHours: '10:00–20:00' };
  const { pickupLocationId } = await as('pickupLocations.create', 'POST', '/v1/pickup-locations', shop);
  await as('pickupLocations.list', 'GET', '/v1/pickup-locations');
  await as('pickupLocations.replace', 'PUT', `/v1/pickup-locations/${pickupLocationId}`, { ...shop, availableHours: '11:00–20:00' });
  const closing = await as('pickupLocations.create', 'POST', '/v1/pickup-locations', shop);
  await as('pickupLocations.remove', 'DELETE', `/v1/pickup-locations/${closing.pickupLocationId}`);
}

/** The smallest PNG there is. */
const PIXEL = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
async function upload(path: string, headers: Headers_, fields: Readonly<Record<string, string>>): Promise<Reply> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob([PIXEL], { type: 'image/png' }), 'pixel.png');
  const response = await fetch(underTest.api + path, { method: 'POST', headers, body: form });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Reply['body'] };
}

/** Changes of a product, and one that is sold by the night. */
async function storefrontProducts(sell: Walk, productId: string, categoryId: string): Promise<void> {
  await sell('products.getOptions', 'GET', `/v1/products/${productId}/options`);
  await sell('products.replaceOptions', 'PUT', `/v1/products/${productId}/options`, {
    optionGroups: [{ name: '색상', values: ['회색', '남색', '검정'] }],
    variants: [{ optionValues: ['검정'], stockQuantity: 3 }],
  });
  const discount = { method: 'RATE', value: 10, startDate: '2026-01-01', endDate: '2026-01-31' };
  await sell('products.setDiscount', 'PUT', `/v1/products/${productId}/discount`, discount);
  await sell('products.getDiscount', 'GET', `/v1/products/${productId}/discount`);
  await sell('products.patch', 'PATCH', `/v1/products/${productId}`, { originalPrice: 16_000, refundPolicy: { returnDeliveryFee: 3000 } });
  await sell('products.replace', 'PUT', `/v1/products/${productId}`, {
    name: '양모 머플러',
    salePrice: 10_000,
    originalPrice: 15_000,
    categoryId,
  });
  await sell('products.setStatusMany', 'POST', '/v1/products/bulk/status', { productIds: [productId], status: 'ON_SALE' });
  const spare = await sell('products.create', 'POST', '/v1/products', { name: '견본', salePrice: 1000, categoryId });
  await sell('products.remove', 'DELETE', `/v1/products/${spare.productId}`);
  const section = await sell('categories.create', 'POST', '/v1/categories', { name: '견본' });
  await sell('categories.patch', 'PATCH', `/v1/categories/${section.categoryId}`, { name: '표본' });
  await sell('categories.remove', 'DELETE', `/v1/categories/${section.categoryId}`);
}

/** What only people at the console do. */
async function atConsole({ store: { storeId, storeCode } }: World, note: Note): Promise<void> {
  const email = `owner@${storeCode}.example`;
  await seedMembers(storeId, [{ role: 'OWNER', email }]);
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
  const walk: Walk = (id, method, path, request) => as(bearer, id, method, path, request);
  await addressBook(walk);
  await paymentSettings(walk);
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
  const log = '/v1/api-request-logs?operationId=members.list&limit=1';
  await until('both reads are logged', async () => {
    const { body } = await call(underTest.api, 'GET', log, { headers: { authorization: `Bearer ${bearer}` } });
    return (body.data as { nextCursor: string | null }).nextCursor;
  });
  await as(bearer, 'apiRequestLogs.list', 'GET', log);
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

/** What a member does with what they bought. */
async function asMember(shop: World, note: Note): Promise<void> {
  const member = await Buyer.join(underTest.api, shop.store.storeCode);
  const as = async (id: string, method: string, path: string, request?: unknown) =>
    note(id, request, await member.call(method, path, request));
  const { orderId, orderItemId } = await shop.order(await shop.product(), 1, member);
  await shop.act(orderItemId, 'confirm');
  await shop.act(orderItemId, 'dispatch', { deliveryMethod: 'DIRECT' });
  await shop.act(orderItemId, 'delivered');
  await as('orders.extend', 'POST', `/storefront/v1/me/order-items/${orderItemId}/extend`, {});
  await as('orders.decide', 'POST', `/storefront/v1/me/order-items/${orderItemId}/decide`, {});
  await as('orders.listMine', 'GET', '/storefront/v1/me/orders');
  await as('orders.getMine', 'GET', `/storefront/v1/me/orders/${orderId}`);
}

/** Calls the remaining operations as they are declared, without those that a successor replaced. */
async function asDeclared(shop: World, walked: Walked, note: Note): Promise<void> {
  const { storeId, storeCode } = shop.store;
  const owner = `owner@${storeCode}.example`;
  const headers: Readonly<Record<Endpoint['access'], () => Promise<Headers_> | Headers_>> = {
    store: async () => ({ authorization: `Bearer ${await storeToken(owner, storeId)}` }),
    user: async () => ({ authorization: `Bearer ${(await loginAs(owner)).user.access_token}` }),
    buyer: async () => (await shop.buyer()).headers,
    customer: async () => (await shop.member()).headers,
    storefront: () => ({ 'x-store-code': storeCode }),
    payment: () => ({}),
  };
  for (const endpoint of endpoints.filter(
    ({ id, successor, image }) => !(id in walked) && successor === undefined && image === undefined,
  )) {
    const answered = Object.values(walked).map(({ response }) => response);
    const { request, reply } = await callDeclared(endpoint, answered, await headers[endpoint.access]());
    note(endpoint.id, request, reply);
  }
}

/** What an agent asks for and the owner decides. */
async function approvals(shop: World, note: Note): Promise<void> {
  const desk = await Desk.open(shop);
  const agent = await desk.agent();
  const { productId } = await shop.product();
  const changes = [{ field: 'deleted', before: false, after: true }];
  const { name, status } = (await shop.seller.call('GET', `/v1/products/${productId}`)).body.data as { name: string; status: string };
  const facts = { name, status };
  const preview = { operationId: 'products.remove', target: { type: 'PRODUCT', id: productId }, changes, facts } as const;
  const filed = () => desk.created(agent, { id: 'products.remove', params: { productId }, changes: { preview } });
  const [rejected, approved] = [await filed(), await filed()];
  const [no, yes] = [{ note: '아직 팔고 있습니다' }, { note: '확인했습니다' }];
  note('approvals.reject', no, await desk.decide(rejected, 'reject', 'owner', no));
  note('approvals.approve', yes, await desk.decide(approved, 'approve', 'owner', yes));
  note('approvals.get', undefined, await desk.read(approved));
  const headers = await desk.person('owner');
  note('approvals.list', undefined, await call(underTest.api, 'GET', '/v1/approval-requests', { headers }));
  await desk.close();
}

/** What a seller does about a receiver that cannot be reached. */
async function afterwards(sell: Walk, webhookId: string): Promise<void> {
  const at = `/v1/webhooks/${webhookId}`;
  const { items } = await sell('webhooks.listDeliveries', 'GET', `${at}/deliveries?status=FAILED`);
  await sell('webhooks.redeliver', 'POST', `${at}/deliveries/${items[0].deliveryId}/redeliver`, {});
  await sell('webhooks.redeliverFailed', 'POST', `${at}/deliveries/redeliver-failed`, {});
  await sell('webhooks.test', 'POST', `${at}/test`, { eventType: 'ORDER.PAID' });
  await sell('webhooks.resume', 'POST', `${at}/resume`, {});
  await sell('events.list', 'GET', '/v1/events?size=3');
  await sales(sell);
  await sell('settlements.list', 'GET', '/v1/settlements');
  await sell('webhooks.remove', 'DELETE', at);
}

const WANTED = (categoryId: string) => ({
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

/** Walks a fresh store through everything; answers each operation's request, answer and status. */
export async function walk(shop: World): Promise<Walked> {
  const walked: Walked = {};
  const note = (id: string, request: unknown, { status, body, headers }: Reply) => {
    if (body.error) throw new Error(`${id}: ${JSON.stringify(body.error)}`);
    walked[id] = { status, cacheControl: headers.get('cache-control'), ...(request !== undefined && { request }), response: body.data };
    return body.data;
  };
  const sell = async (id: string, method: string, path: string, request?: unknown) =>
    note(id, request, await shop.seller.call(method, path, request));
  const shopHeaders: Headers_ = { 'x-store-code': shop.store.storeCode };
  const send = async (id: string, method: string, path: string, request?: unknown, headers = shopHeaders) =>
    note(id, request, await call(underTest.api, method, path, { body: request, headers }));

  await sell('stores.get', 'GET', '/v1/store');
  await sell('stores.patch', 'PATCH', '/v1/store', { shippingPolicy: { freeThreshold: 50_000, jejuSurcharge: 3000 }, autoConfirmDays: 7 });
  const { categoryId } = await sell('categories.create', 'POST', '/v1/categories', { name: '머플러' });
  const product = await sell('products.create', 'POST', '/v1/products', WANTED(categoryId as string));
  const created = walked['products.create']!;
  const { productId } = product as { productId: string };
  const optionId = product.variants[0].variantId as string;
  await sell('products.list', 'GET', '/v1/products');
  await sell('products.get', 'GET', `/v1/products/${productId}`);
  await sell('products.changeStock', 'PATCH', `/v1/products/${productId}/variants/${optionId}/stock`, { adjustment: 5, reason: '입고' });
  await storefrontProducts(sell, productId, categoryId as string);
  // The example is the one with options.
  walked['products.create'] = created;
  const room = await shop.product({
    name: '한옥 온돌방',
    inventoryMode: 'DATED',
    stockQuantity: undefined,
    fulfillment: { type: 'MANUAL' },
  });
  const nights = { from: '2030-12-24', to: '2030-12-26' };
  const calendar = { variantIds: [room.variantId], ...nights, stock: 2, price: 120_000 };
  await sell('products.writeCalendar', 'PUT', `/v1/products/${room.productId}/calendar`, calendar);
  await sell('products.readCalendar', 'GET', `/v1/products/${room.productId}/calendar?${String(new URLSearchParams(nights))}`);
  await send('storefront.getCalendar', 'GET', `/storefront/v1/products/${room.productId}/calendar?${String(new URLSearchParams(nights))}`);
  const errands = await flows(sell);
  const purpose = { purpose: 'product-image' };
  note('uploads.create', purpose, await upload('/v1/uploads', { authorization: `Bearer ${shop.seller.bearer}` }, purpose));
  const ticket = await shop.product({ name: '관람권', fulfillment: { type: 'MANUAL' } });
  await send('storefront.listProducts', 'GET', '/storefront/v1/products');
  await send('storefront.getProduct', 'GET', `/storefront/v1/products/${productId}`);
  const hook = await sell('webhooks.create', 'POST', '/v1/webhooks', {
    url: RECEIVER,
    eventTypes: ['ORDER.PAID', 'ORDER.CANCELED'],
  });
  await sell('webhooks.list', 'GET', '/v1/webhooks');
  await sell('webhooks.get', 'GET', `/v1/webhooks/${hook.webhookId}`);
  await sell('webhooks.replace', 'PUT', `/v1/webhooks/${hook.webhookId}`, {
    url: RECEIVER,
    eventTypes: ['ORDER.PAID', 'ORDER.CANCELED', 'ORDER.FULFILLED'],
  });
  await sell('webhooks.rotateSecret', 'POST', `/v1/webhooks/${hook.webhookId}/rotate-secret`, {});

  const { cartToken } = await send('auth.anonymous', 'POST', '/storefront/v1/auth/anonymous', {});
  const buyer = { ...shopHeaders, 'x-cart-token': cartToken as string };
  const shopping = (id: string, method: string, path: string, request?: unknown) => send(id, method, path, request, buyer);
  note('uploads.createOrderInput', {}, await upload('/storefront/v1/uploads/order-inputs', buyer, {}));
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
  await send('auth.signup', 'POST', '/storefront/v1/auth/signup', person);
  await send('auth.login', 'POST', '/storefront/v1/auth/login', { email: person.email, password: person.password });
  await atConsole(shop, note);
  await send('storefront.listPickupLocations', 'GET', '/storefront/v1/pickup-locations');

  await sell('orders.list', 'GET', '/v1/orders');
  const order = await sell('orders.get', 'GET', `/v1/orders/${orderId}`);
  const item = order.items[0].orderItemId as string;
  await sell('orders.listItems', 'GET', '/v1/order-items');
  await sell('orders.getItem', 'GET', `/v1/order-items/${item}`);
  await sell('orders.flow', 'GET', `/v1/order-items/${item}/flow`);
  const cancel = { reason: 'OUT_OF_STOCK', detail: '입고가 늦어집니다', quantity: 1, holdRefund: true };
  const { refundId } = await sell('orders.cancel', 'POST', `/v1/order-items/${item}/cancel`, cancel);
  // While the refund is held: once it is let go, its end is a matter of moments.
  await sell('payments.get', 'GET', `/v1/payments/${paymentId}`);
  await sell('refunds.process', 'POST', `/v1/payments/refunds/${refundId}/process`);
  const { items: records } = await sell('auditLogs.list', 'GET', '/v1/audit-logs?source=DOMAIN&action=ORDER_ITEM_CANCELED');
  await sell('auditLogs.get', 'GET', `/v1/audit-logs/${records[0].auditId as string}`);
  const held = { reason: '입고가 늦어집니다', expectedDispatchDate: '2030-01-02' };
  await sell('orders.hold', 'POST', `/v1/order-items/${item}/hold`, held);
  await sell('orders.confirm', 'POST', `/v1/order-items/${item}/confirm`, {});
  const shipment = { deliveryMethod: 'COURIER', carrierCode: 'CJ', trackingNumber: '123456789012' };
  await sell('orders.dispatch', 'POST', `/v1/order-items/${item}/dispatch`, shipment);
  const corrected = { carrierCode: 'HANJIN', trackingNumber: '123456789021' };
  await sell('orders.correctTracking', 'PUT', `/v1/order-items/${item}/dispatch/tracking`, corrected);
  await until('the first look', async () => (await shop.seller.call('GET', `/v1/order-items/${item}/dispatch/tracking`)).body.data.stage);
  await sell('orders.getTracking', 'GET', `/v1/order-items/${item}/dispatch/tracking`);
  await sell('orders.delivered', 'POST', `/v1/order-items/${item}/delivered`, {});
  const guest = { contact: GUEST.phone, orderPassword: GUEST.orderPassword };
  await send('orders.lookUp', 'POST', `/storefront/v1/guest/orders/${order.orderNo}`, guest);
  await guestClaims({ orderId: orderId as string, orderItemId: item }, guest, send);
  const provided = (await shop.order(ticket)).orderItemId;
  await sell('orders.fulfill', 'POST', `/v1/order-items/${provided}/fulfill`, { note: '쿠폰을 문자로 보냈습니다' });
  const many = (await shop.order({ productId: (await shop.product()).productId })).orderItemId;
  await sell('orders.confirmMany', 'POST', '/v1/order-items/confirm', { orderItemIds: [many] });
  await sell('orders.dispatchMany', 'POST', '/v1/order-items/dispatch', { items: [{ orderItemId: many, ...shipment }] });
  await sell('orders.deliverMany', 'POST', '/v1/order-items/delivered', { orderItemIds: [many] });
  const another = (await shop.order(ticket)).orderItemId;
  await sell('orders.fulfillMany', 'POST', '/v1/order-items/fulfill', { orderItemIds: [another], note: '현장 수령' });
  await engraved(shop, errands, note);
  await asMember(shop, note);
  await addressChanges(shop, note);
  await claims(shop, note);
  await reviews(note);
  await customers(shop, note);
  await points(shop, note);
  await pricing(shop, note);
  await approvals(shop, note);
  await visits(shop, note);
  await sell('sandbox.advanceClock', 'POST', '/v1/sandbox/clock', { advance: 'PT3H' });
  await afterwards(sell, hook.webhookId as string);
  await asDeclared(shop, walked, note);
  return walked;
}
