/** Buyers: from the cart or directly, with points or without, paid at once, late, twice or never. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ADDRESS, formOf, get, GUEST, OPTION } from '../../../bin/dev/client.ts';
import type { Answer } from './desk.ts';
import type { Dice } from './dice.ts';
import { day, JEJU, NIGHTS, type Return, type Shop, type Shopper } from './shop.ts';

interface Line {
  readonly productId: string;
  readonly optionId?: string;
  readonly quantity: number;
  readonly stay?: { readonly checkIn: string; readonly checkOut: string };
}

/** Some lines of different products; one whose option is gone meanwhile is refused. */
function someLines({ products }: Shop, dice: Dice): Line[] {
  const lines = new Map<string, Line>();
  for (let n = 1 + dice.roll(3); n > 0; n--) {
    const { productId, variants, spec } = dice.pick(products.filter(({ isDeleted }) => !isDeleted || dice.chance(3)));
    const { variantId } = dice.pick(variants);
    const from = 1 + dice.roll(NIGHTS - 2);
    const stay = { checkIn: day(from), checkOut: day(from + 1 + dice.roll(2)) };
    const isDated = spec.kind === 'DATED';
    lines.set(productId, { productId, optionId: variantId, quantity: 1 + dice.roll(isDated ? 2 : 4), ...(isDated && { stay }) });
  }
  return [...lines.values()];
}

export async function buy(shop: Shop, dice: Dice): Promise<void> {
  const shopper = dice.chance(70) ? dice.pick(shop.members) : await shop.guest();
  const checkout = await openCheckout(shop, shopper, someLines(shop, dice), dice.chance(40));
  if (checkout?.status !== 201) return;
  const started = await start(shop, dice, shopper, checkout);
  if (!started || dice.chance(6)) return;
  const returnUrl = await authenticate(shop, started.payUrl, dice);
  if (returnUrl === null) return;
  const back = { returnUrl, paymentId: started.paymentId, shopper };
  if (dice.chance(8)) shop.lateReturns.push(back);
  // Some reload the page of the return.
  else await Promise.all(dice.chance(10) ? [follow(shop, back.returnUrl), comeBack(shop, back)] : [comeBack(shop, back)]);
}

async function openCheckout(shop: Shop, { buyer }: Shopper, lines: readonly Line[], isCart: boolean): Promise<Answer | null> {
  const send = (operation: string, path: string, body: object) =>
    shop.desk.send(operation, { method: 'POST', path, body, headers: buyer.headers });
  if (!isCart) return send('checkout.create', '/storefront/v1/checkout', { items: lines });
  const inCart: string[] = [];
  for (const line of lines) {
    const { status, data } = await send('cart.add', '/storefront/v1/cart/items', line);
    if (status !== 201) continue;
    const found = (data as { items: { cartItemId: string; optionId: string }[] }).items.find(({ optionId }) => optionId === line.optionId);
    if (found) inCart.push(found.cartItemId);
  }
  return inCart.length === 0 ? null : send('checkout.create', '/storefront/v1/checkout', { cartItemIds: inCart });
}

interface OpenCheckout {
  readonly checkoutId: string;
  readonly requiresShipping: boolean;
  readonly amounts: { readonly totalAmount: number };
  readonly points: { readonly maxUsable: number } | null;
}
function paymentOf(dice: Dice, { requiresShipping, amounts, points }: OpenCheckout, isGuest: boolean): object {
  const max = points?.maxUsable ?? 0;
  const some = () => (dice.chance(15) ? max : 1 + dice.roll(max));
  const pointAmount = max > 0 && dice.chance(75) ? some() : 0;
  return {
    option: { ...OPTION, pg: dice.chance(40) ? 'portone' : 'tosspayments' },
    returnUrl: 'http://localhost:9/done',
    ...(requiresShipping && { shippingAddress: dice.chance(20) ? { ...ADDRESS, zipCode: JEJU.zipCode } : ADDRESS }),
    ...(isGuest && { guest: GUEST }),
    ...(pointAmount > 0 ? { pointAmount } : dice.chance(30) && { expectedTotalAmount: amounts.totalAmount }),
  };
}

/** Starts the payment; null where it was refused, or points have paid for everything. */
async function start(shop: Shop, dice: Dice, shopper: Shopper, { data }: Answer) {
  const { buyer, customerId } = shopper;
  const checkout = data as OpenCheckout;
  const body = paymentOf(dice, checkout, customerId === null);
  const path = `/storefront/v1/checkout/${checkout.checkoutId}/payment`;
  const answer = await shop.desk.send('payments.start', { method: 'POST', path, body, headers: buyer.headers });
  if (answer.status !== 200) return null;
  const { paymentId, orderId, payUrl, amounts } = answer.data as {
    paymentId: string;
    orderId: string | null;
    payUrl: string | null;
    amounts: Record<string, number>;
  };
  shop.started.push({ paymentId, amounts, customerId });
  if (orderId !== null) shop.deals.push({ orderId, shopper, isOver: false });
  return payUrl === null ? null : { paymentId, payUrl };
}

/**
 * Of twelve, one loses its approval's answer, one is canceled asynchronously, one approves by itself, one is declined, one’s cancels fail
 * twice.
 */
const CARDS = ['0020', '0041', '0070', '0001', '0040'];

/** Goes through our screen and the provider's window; the address to return to, null where it ends before. */
async function authenticate({ desk }: Shop, payUrl: string, dice: Dice): Promise<URL | null> {
  const form = formOf((await open(payUrl)).text, 'pay');
  desk.count('pay', form ? 'screen' : 'no form');
  if (!form) return null;
  const submit = new URL(`${form.action}/submit`);
  const outcome = dice.chance(7) ? 'cancel' : 'pay';
  const card = `411111111111${CARDS[dice.roll(12)] ?? '0000'}`;
  submit.search = String(new URLSearchParams({ ...form.fields, card, outcome }));
  return (await open(submit.href)).location;
}

/** Returns from the provider's window, and waits for what becomes of it. */
export async function comeBack(shop: Shop, { returnUrl, paymentId, shopper }: Return): Promise<void> {
  await follow(shop, returnUrl);
  const orderId = await settled(shop, paymentId);
  if (orderId !== null) shop.deals.push({ orderId, shopper, isOver: false });
}
/** Follows the way back, until the page is the shop's own, or nothing moves on by itself. */
async function follow(shop: Shop, returnUrl: URL): Promise<void> {
  let location: URL | null = returnUrl;
  for (let hops = 0; location?.origin === new URL(shop.base).origin && hops < 200; hops++) {
    const page = await open(location.href);
    if (!page.location && !page.text.includes('http-equiv="refresh"')) return;
    if (!page.location) await sleep(250);
    location = page.location ?? location;
  }
}

async function open(url: string): Promise<Awaited<ReturnType<typeof get>>> {
  for (let tries = 0; ; tries++) {
    const page = await get(url).catch((error: unknown) => error as Error);
    if (!(page instanceof Error) && page.status < 500) return page;
    if (tries > 60) throw page instanceof Error ? page : new Error(`${url}: ${page.status}`);
    await sleep(250);
  }
}

/** The order of this payment; what stays open, or becomes none, is left to the clock. */
async function settled(shop: Shop, paymentId: string): Promise<string | null> {
  for (let tries = 0; tries < 200; tries++) {
    const path = `/storefront/v1/payments/${paymentId}`;
    const { data } = await shop.desk.send('payments.status', { method: 'GET', path, headers: {} });
    const { status, orderId } = data as { status: string; orderId: string | null };
    if (status !== 'processing') return orderId;
    await sleep(250);
  }
  return null;
}
