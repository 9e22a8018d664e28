/** The shop's counter: an order is bought as the dice say, and actions are sent to the API as their actors send them. */
import { randomUUID } from 'node:crypto';
import { ADDRESS, Buyer, GUEST, pay, type Reply, Seller } from '../../../../bin/dev/client.ts';
import { query, until, type World, world } from '../../../kernel/world.ts';
import type { Dice } from './choose.ts';
import type { BundleBook, Policy } from './money.ts';
import type { Action, Filing, Line, Shop } from './state.ts';

/** A store in which one order after the other is played with. */
export interface Lane {
  readonly shop: World;
  readonly categoryId: string;
  readonly member: Buyer;
  readonly stranger: Buyer;
}
export async function openLane(): Promise<Lane> {
  const shop = await world();
  const { body } = await shop.seller.call('POST', '/v1/categories', { name: '잡화' });
  const [member, stranger] = await Promise.all([shop.member(), shop.member()]);
  return { shop, categoryId: body.data.categoryId as string, member, stranger };
}

export interface Bought {
  readonly orderId: string;
  readonly orderNo: string;
  readonly shop: Shop;
  readonly optionIds: readonly string[];
}

interface Product {
  readonly productId: string;
  readonly optionIds: readonly [string, string];
  readonly shipping: Shipping | null;
  readonly unitPrice: number;
  readonly quantity: number;
  readonly stock: number;
  readonly override: Partial<Policy>;
}
interface Shipping {
  readonly deliveryType: 'PAID' | 'FREE' | 'CONDITIONAL_FREE';
  readonly deliveryFee: number;
  readonly conditionalFreeAmount?: number;
}
const SHIPPINGS: readonly Shipping[] = [
  { deliveryType: 'CONDITIONAL_FREE', deliveryFee: 3000, conditionalFreeAmount: 30_000 },
  { deliveryType: 'PAID', deliveryFee: 2500 },
  { deliveryType: 'FREE', deliveryFee: 0 },
];

const policyOf = (dice: Dice) => ({
  preShipmentDeliveryFeeRefund: dice.chance(60),
  returnDeliveryFee: dice.pick([0, 2500]),
  exchangeDeliveryFee: dice.pick([0, 4000]),
  sellerFaultFreeShipping: dice.chance(60),
  conditionalFreeShortfallCharge: dice.chance(60),
});

/** An order of one to four lines, paid for. */
export async function buy(lane: Lane, dice: Dice): Promise<Bought> {
  const { seller, store } = lane.shop;
  const policy: Policy = { ...policyOf(dice), couponShortfallCharge: dice.chance(70) };
  const [autoDeliverDays, autoConfirmDays] = [dice.pick([7, 3]), dice.pick([7, 10, 0])];
  const freeThreshold = dice.chance(30) ? 40_000 : null;
  const jejuSurcharge = dice.chance(30) ? 2000 : 0;
  const shippingPolicy = { freeThreshold, jejuSurcharge };
  const settings = { refundPolicy: policy, shippingPolicy, autoDeliverDays, autoConfirmDays };
  await done((key) => seller.call('PATCH', '/v1/store', settings, key));
  const specs = Array.from({ length: 1 + dice.roll(4) }, () => specOf(dice));
  const products = await Promise.all(specs.map((spec) => product(lane, spec)));
  const isMember = dice.chance(65);
  const buyer = isMember ? lane.member : await Buyer.arrive(seller.base, store.storeCode);
  const items = products.map(({ productId, optionIds, quantity }) => ({ productId, optionId: optionIds[0], quantity }));
  const opened = await done((key) => buyer.call('POST', '/storefront/v1/checkout', { items }, key));
  const shippingAddress = { ...ADDRESS, zipCode: '63100' };
  const started = await done((key) => buyer.start(opened.checkoutId as string, { shippingAddress }, key));
  await pay(started.payUrl as string);
  const orderId = await until('an order', async () => (await buyer.status(started.paymentId as string)).body.data.orderId as string | null);
  const order = await done((key) => seller.call('GET', `/v1/orders/${orderId}`, undefined, key));
  const ids = (order.items as { orderItemId: string }[]).map(({ orderItemId }) => orderItemId);
  const books = bundlesOf(products, freeThreshold, jejuSurcharge);
  const shop: Shop = {
    lines: products.map((bought, i) => lineOf(bought, ids[i]!, books.indexes[i]!, policy)),
    bundles: books.bundles,
    coupon: null,
    isMember,
    autoDeliverDays,
    autoConfirmDays,
    day: 0,
    stock: Object.fromEntries(
      products.flatMap(({ optionIds: [first, second], stock, quantity }) => [
        [first, stock - quantity],
        [second, stock],
      ]),
    ),
    claims: [],
    heldRefunds: {},
    releasedRefunds: {},
  };
  const paid = shop.lines.reduce((sum, line) => sum + line.paid.cash, 0) + shop.bundles.reduce((sum, bundle) => sum + bundle.paid.cash, 0);
  if (paid !== order.payment.totalAmount) throw new Error(`paid ${String(order.payment.totalAmount)}, expected ${paid}`);
  const discounted = dice.chance(50) ? await payOtherwise(lane, orderId, shop, dice) : shop;
  return { orderId, orderNo: order.orderNo as string, shop: discounted, optionIds: Object.keys(shop.stock) };
}

const specOf = (dice: Dice) => ({
  shipping: dice.chance(25) ? null : dice.pick(SHIPPINGS),
  unitPrice: dice.pick([10_000, 3330, 12_340]),
  quantity: 1 + dice.roll(5),
  stock: 6 + dice.roll(4),
  override: dice.chance(40) ? policyOf(dice) : {},
});

async function product(lane: Lane, spec: ReturnType<typeof specOf>): Promise<Product> {
  const { shipping, unitPrice: salePrice, stock: stockQuantity, override } = spec;
  const { returnDeliveryFee: _return, exchangeDeliveryFee: _exchange, ...ofOthers } = override as Partial<Policy>;
  const wanted = {
    name: '장갑',
    salePrice,
    categoryId: lane.categoryId,
    fulfillment: shipping ? { type: 'SHIPPING', shipping, methods: ['DIRECT'] } : { type: 'MANUAL' },
    optionGroups: [{ name: '색', values: ['회색', '남색'] }],
    variants: ['회색', '남색'].map((value) => ({ optionValues: [value], stockQuantity })),
    // Fees of a return or an exchange are refused on what is not shipped.
    refundPolicy: shipping ? override : ofOthers,
  };
  const made = await done((key) => lane.shop.seller.call('POST', '/v1/products', wanted, key));
  const [first, second] = made.variants as { variantId: string }[];
  return { ...spec, productId: made.productId as string, optionIds: [first!.variantId, second!.variantId] };
}

/** Lines under the same delivery policy are one bundle; each pays its fee and surcharge once. */
function bundlesOf(products: readonly Product[], freeThreshold: number | null, surcharge: number) {
  const priceOf = (some: readonly Product[]) => some.reduce((sum, { unitPrice, quantity }) => sum + unitPrice * quantity, 0);
  const shipped = products.filter(({ shipping }) => shipping !== null);
  const kinds = [...new Set(shipped.map(({ shipping }) => shipping!))];
  const isAllFree = freeThreshold !== null && priceOf(shipped) >= freeThreshold;
  const bundles = kinds.map((shipping): BundleBook => {
    const free = shipping.conditionalFreeAmount ?? null;
    const isFreeByRule = free !== null && priceOf(shipped.filter((one) => one.shipping === shipping)) >= free;
    return {
      paid: { cash: surcharge + (isAllFree || isFreeByRule ? 0 : shipping.deliveryFee), points: 0 },
      freeFrom: isFreeByRule ? free : null,
      ruleFee: shipping.deliveryFee,
      isFeeBack: false,
      charged: { cash: 0, points: 0 },
    };
  });
  return { bundles, indexes: products.map(({ shipping }) => (shipping === null ? null : kinds.indexOf(shipping))) };
}

const lineOf = (bought: Product, orderItemId: string, bundle: number | null, policy: Policy): Line => ({
  orderItemId,
  productId: bought.productId,
  optionId: bought.optionIds[0],
  otherOptionId: bought.optionIds[1],
  isShipped: bought.shipping !== null,
  unitPrice: bought.unitPrice,
  quantity: bought.quantity,
  paid: { cash: bought.unitPrice * bought.quantity, points: 0 },
  coupon: 0,
  policy: { ...policy, ...bought.override },
  bundle,
  left: 0,
  exchanged: 0,
  status: 'PAID',
  since: 0,
  due: null,
  daysLeft: null,
});

/** As if it had been bought with a coupon, which buyers do not have yet, and with points: the order's fields are there. */
async function payOtherwise({ shop: { store } }: Lane, orderId: string, bought: Shop, dice: Dice): Promise<Shop> {
  const lines = bought.lines.map((line): Line => {
    const coupon = Math.floor(line.paid.cash / dice.pick([7, 10]));
    const points = dice.chance(60) ? Math.floor((line.paid.cash - coupon) / dice.pick([3, 2])) : 0;
    return { ...line, coupon, paid: { cash: line.paid.cash - coupon - points, points } };
  });
  const bundles = bought.bundles.map((bundle): BundleBook => {
    const points = Math.floor(bundle.paid.cash / dice.pick([3, 1_000_000]));
    return { ...bundle, paid: { cash: bundle.paid.cash - points, points } };
  });
  const minOrder = dice.pick([20_000, 60_000]);
  const of = [store.storeId, orderId];
  await query('UPDATE orders SET coupon_min_order_won = $3 WHERE store_id = $1 AND order_id = $2', [...of, minOrder]);
  for (const { orderItemId, coupon, paid } of lines)
    await query(
      `UPDATE order_item SET coupon_discount_won = $4, point_allocation_won = $5 WHERE store_id = $1 AND order_id = $2
        AND order_item_id = $3`,
      [...of, orderItemId, coupon, paid.points],
    );
  for (const [i, { paid }] of bundles.entries())
    await query('UPDATE order_bundle SET point_allocation_won = $4 WHERE store_id = $1 AND order_id = $2 AND bundle_no = $3', [
      ...of,
      i + 1,
      paid.points,
    ]);
  return { ...bought, lines, bundles, coupon: { minOrder, charged: { cash: 0, points: 0 } } };
}

type Key = Readonly<Record<'idempotency-key', string>>;
/** The answer to a request; a busy system is asked again under the same key. */
async function answerOf(path: string, send: (key: Key) => Promise<Reply>): Promise<Reply> {
  const key = { 'idempotency-key': randomUUID() };
  const attempt = async () => {
    const reply = await send(key);
    return reply.status !== 503 && reply;
  };
  return until(`an answer to ${path}`, attempt, 60_000);
}
/** The data of a success. */
async function done(send: (key: Key) => Promise<Reply>) {
  const { status, body } = await answerOf('a purchase', send);
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  // oxlint-disable-next-line typescript/no-unsafe-return -- responses of every shape
  return body.data;
}

interface Sent {
  readonly by: 'seller' | 'member' | 'stranger' | 'guest';
  readonly method: 'POST' | 'PATCH';
  readonly path: string;
  readonly body: object;
}

/** Sends an action to one of the APIs; what is busy is sent again under its key. */
export async function send(lane: Lane, { orderId, shop }: Bought, action: Action, base: string): Promise<Reply> {
  const { by, method, path, body } = await requestOf(lane, orderId, shop, action);
  const { seller, store } = lane.shop;
  const guest = { 'x-store-code': store.storeCode };
  const sender = by === 'seller' ? new Seller(base, seller.bearer) : new Buyer(base, by === 'guest' ? guest : lane[by].headers);
  return answerOf(path, (key) => sender.call(method, path, body, key));
}

async function requestOf(lane: Lane, orderId: string, shop: Shop, action: Action): Promise<Sent> {
  if ('claimId' in action) return ofClaim(lane, orderId, shop, action);
  switch (action.do) {
    case 'preview':
    case 'file':
      return filingOf(orderId, shop, action.filing, action.do);
    case 'advance':
      throw new Error('advanced by the lane');
    case 'stock': {
      const { productId, optionId, quantity: stockQuantity } = action;
      return { by: 'seller', method: 'PATCH', path: `/v1/products/${productId}/variants/${optionId}/stock`, body: { stockQuantity } };
    }
    case 'process':
      return ofSeller(`payments/refunds/${action.refundId}/process`, {});
    case 'confirm':
    case 'dispatch':
    case 'delivered':
    case 'fulfill':
    case 'cancel': {
      const { do: name, line, ...input } = action;
      return ofSeller(`order-items/${shop.lines[line]!.orderItemId}/${name}`, { ...input, ...BESIDES[name] });
    }
    case 'decide':
    case 'extend':
      return ofBuyer('member', `/storefront/v1/me/order-items/${shop.lines[action.line]!.orderItemId}/${action.do}`, {});
    default:
      return action satisfies never;
  }
}
/** What is sent besides. */
const BESIDES = {
  confirm: {},
  dispatch: { deliveryMethod: 'DIRECT' },
  delivered: {},
  fulfill: {},
  cancel: { reason: 'OTHER' },
} as const;

async function ofClaim(lane: Lane, orderId: string, shop: Shop, action: Extract<Action, { readonly claimId: string }>): Promise<Sent> {
  const { do: name, claimId, ...input } = action;
  if (action.do !== 'withdraw') return ofSeller(`claims/${claimId}/${name}`, await claimBody(lane, action, input));
  if (shop.isMember || action.isStranger)
    return ofBuyer(action.isStranger ? 'stranger' : 'member', `/storefront/v1/me/claims/${claimId}/withdraw`, {});
  return ofBuyer('guest', `/storefront/v1/guest/orders/${orderId}/claims/${claimId}/withdraw`, PROOF);
}
const PROOF = { contact: GUEST.phone, orderPassword: GUEST.orderPassword };
const ofSeller = (path: string, body: object): Sent => ({ by: 'seller', method: 'POST', path: `/v1/${path}`, body });
const ofBuyer = (by: Sent['by'], path: string, body: object): Sent => ({ by, method: 'POST', path, body });

function filingOf(orderId: string, shop: Shop, { line, isStranger, ...request }: Filing, name: 'preview' | 'file'): Sent {
  const end = name === 'preview' ? 'claims/preview' : 'claims';
  const { orderItemId } = shop.lines[line]!;
  if (shop.isMember || isStranger)
    return ofBuyer(isStranger ? 'stranger' : 'member', `/storefront/v1/me/order-items/${orderItemId}/${end}`, request);
  return ofBuyer('guest', `/storefront/v1/guest/orders/${orderId}/items/${orderItemId}/${end}`, { ...request, ...PROOF });
}

async function claimBody(lane: Lane, action: Extract<Action, { readonly claimId: string }>, input: object): Promise<object> {
  if (action.do === 'reject') return { reason: 'OTHER', ...input };
  if (action.do === 'redelivery') return { carrierCode: 'CJ', trackingNumber: '1234', ...input };
  if (action.do === 'collect/complete') {
    const [soundQuantity, damagedQuantity, missingQuantity] = action.inspection ?? [];
    return action.inspection ? { soundQuantity, damagedQuantity, missingQuantity } : {};
  }
  if (action.do !== 'hold') return input;
  if (action.days === undefined) return { reason: '확인 중' };
  const { body } = await lane.shop.seller.call('GET', '/v1/sandbox/clock');
  return { reason: '확인 중', until: new Date(Date.parse(body.data.now as string) + action.days * 86_400_000).toISOString() };
}
