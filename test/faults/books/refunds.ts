/**
 * What went back for the units that left an order, by the second writing of the rule (test/system/claims/model/money.ts). Of departures
 * that were under way at once either may have been first: there has to be an order of them in which every amount is right.
 */
import { type Amounts, leave, NO_MONEY, type OrderBook } from '../../system/claims/model/money.ts';
import type { Claim, Facts, Order } from './facts.ts';
import { type Departure, JEJU, POLICY, type Shop } from './shop.ts';

const FAULTS: ReadonlySet<string> = new Set(['DEFECTIVE', 'WRONG_ITEM', 'DELIVERY_DELAY']);

export interface PricedDeparture extends Departure {
  readonly line: number;
  readonly claim: Claim | null;
  readonly deduct: number;
}

/** The departures of an order, with their claims; a claim that is completed and was not answered may have left at any time. */
export function departuresOf(shop: Shop, { orderId, items }: Order, claims: readonly Claim[]): PricedDeparture[] {
  const lineOf = (orderItemId: string) => items.findIndex((item) => item.orderItemId === orderItemId);
  const cancels = shop.departures
    .filter(({ claimId, orderItemId }) => claimId === null && lineOf(orderItemId) >= 0)
    .map((departure): PricedDeparture => ({ ...departure, line: lineOf(departure.orderItemId), claim: null, deduct: 0 }));
  const completed = claims
    .filter((claim) => claim.orderId === orderId && claim.status === 'COMPLETED')
    .map((claim): PricedDeparture => {
      const { claimId, orderItemId, quantity, deductAmount } = claim;
      const known = shop.departures.find((departure) => departure.claimId === claimId);
      // The fee of a flow is fixed when the claim is filed; without a flow that has one nothing is deducted unasked.
      const line = lineOf(orderItemId);
      const isFeed = shop.specOf(items[line]!.productId).kind === 'CUSTOM';
      const deduct = shop.deductions.get(claimId) ?? (isFeed ? deductAmount : 0);
      return { sentAt: 0, answeredAt: Infinity, reported: null, ...known, orderItemId, claimId, quantity, line, claim, deduct };
    });
  return [...cancels, ...completed];
}

export function refundsBroken(shop: Shop, order: Order, departures: readonly PricedDeparture[], facts: Facts): string[] {
  const { book, problems } = bookOf(shop, order, facts.bundlePoints);
  if (problems.length > 0) return problems;
  const closest = { depth: -1, story: '' };
  if (isInSomeOrder(book, departures, closest)) return [];
  return [`${order.orderNo}: what went back is not what the rule says: ${closest.story}`];
}

/** Lines and bundles as they were paid, from the delivery rules that the shop knows. */
function bookOf(shop: Shop, order: Order, bundlePoints: Facts['bundlePoints']): { readonly book: OrderBook; readonly problems: string[] } {
  const { orderId, orderNo, items, delivery } = order;
  const specs = items.map(({ productId }) => shop.specOf(productId));
  const kinds = [...new Set(specs.flatMap(({ shipping }) => (shipping ? [shipping] : [])))];
  const surcharge = delivery.remoteArea === 'JEJU' ? JEJU.surcharge : 0;
  const bundles = kinds.map((shipping, i) => {
    const goods = items.filter((_, n) => specs[n]!.shipping === shipping).reduce((sum, { totalPrice }) => sum + totalPrice, 0);
    const free = shipping.conditionalFreeAmount ?? null;
    const isFree = free !== null && goods >= free;
    const fee = surcharge + (isFree ? 0 : shipping.deliveryFee);
    const points = bundlePoints.get(`${orderId}/${i + 1}`) ?? 0;
    return {
      paid: { cash: fee - points, points },
      freeFrom: isFree ? free : null,
      ruleFee: shipping.deliveryFee,
      isFeeBack: false,
      charged: { cash: 0, points: 0 },
    };
  });
  const lines = items.map((item, n) => {
    const { unitPrice, quantity, totalPrice, pointAllocation: points } = item;
    const { shipping, refundPolicy } = specs[n]!;
    const bundle = shipping ? kinds.indexOf(shipping) : null;
    return {
      unitPrice,
      quantity,
      paid: { cash: totalPrice - points, points },
      coupon: 0,
      policy: { ...POLICY, ...refundPolicy },
      bundle,
      left: 0,
      exchanged: 0,
    };
  });
  const fees = bundles.reduce((sum, { paid }) => sum + paid.cash + paid.points, 0);
  const points = bundles.reduce((sum, { paid }) => sum + paid.points, 0);
  const checks: readonly (readonly [string, unknown, unknown])[] = [
    ['delivery fee', order.amounts.deliveryFee, fees],
    ['fee and surcharge', delivery.baseFee + delivery.remoteSurcharge, fees],
    ['number of bundles', delivery.bundleCount, kinds.length],
    ['points of the fee', delivery.pointAllocation, points],
    [
      'bundles of the lines',
      items.map(({ bundleNo }) => bundleNo).join(),
      lines.map(({ bundle }) => (bundle === null ? 0 : bundle + 1)).join(),
    ],
  ];
  const problems = checks
    .filter(([, reported, due]) => reported !== due)
    .map(([what, reported, due]) => `${orderNo}: ${what} ${String(reported)}, by the rules ${String(due)}`);
  return { book: { lines, bundles, coupon: null }, problems };
}

function isInSomeOrder(book: OrderBook, left: readonly PricedDeparture[], closest: { depth: number; story: string }, depth = 0): boolean {
  if (left.length === 0) return true;
  const first = left.filter((one) => !left.some((other) => other.answeredAt < one.sentAt));
  return first.some((one) => {
    const next = structuredClone(book);
    const due = leaving(next, one);
    const differences = differencesOf(one, due);
    if (differences.length === 0)
      return isInSomeOrder(
        next,
        left.filter((other) => other !== one),
        closest,
        depth + 1,
      );
    if (depth > closest.depth)
      Object.assign(closest, { depth, story: `${one.claimId ?? `a cancel of ${one.orderItemId}`}: ${differences.join(', ')}` });
    return false;
  });
}
function leaving(book: OrderBook, { line, claim, quantity, deduct }: PricedDeparture): Amounts {
  const goods = book.lines[line]!;
  if (claim?.type === 'EXCHANGE') {
    goods.left += quantity;
    goods.exchanged += quantity;
    return NO_MONEY;
  }
  const isFault = claim === null || FAULTS.has(claim.reason);
  return leave(book, goods, { quantity, isReturn: claim?.type === 'RETURN', isFault, deduct }, true);
}
/** A cancel's answer tells less than a claim. */
function differencesOf({ claim, reported }: PricedDeparture, due: Amounts): string[] {
  const shown = (claim ?? reported) as unknown as Readonly<Record<string, number | undefined>>;
  return Object.entries(due).flatMap(([name, won]) =>
    shown[name] === undefined || shown[name] === won ? [] : [`${name} ${shown[name]} instead of ${won}`],
  );
}

/** What an order's departures have given back in cash, each by itself, and in points together. */
export function givenBack(departures: readonly PricedDeparture[]): { readonly cash: readonly number[]; readonly points: number } {
  const of = (name: string) =>
    departures.map(({ claim, reported }) => ((claim ?? reported) as unknown as Record<string, number>)[name] ?? 0);
  return { cash: of('refundAmount').filter((won) => won > 0), points: of('pointRefundAmount').reduce((sum, won) => sum + won, 0) };
}
