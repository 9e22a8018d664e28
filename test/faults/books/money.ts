/** The books of money: what buyers were told and paid, what the provider holds, what went back, points, and the sales report. */
import type { Charge, Facts, Order, Payment } from './facts.ts';
import { departuresOf, givenBack, type PricedDeparture, refundsBroken } from './refunds.ts';
import type { Shop } from './shop.ts';

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
const sorted = (numbers: readonly number[]): string => numbers.toSorted((a, b) => a - b).join();

const amountsOf = (amounts: Readonly<Record<string, number>>): string =>
  Object.keys(amounts)
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((name) => `${name} ${amounts[name]}`)
    .join();

export function moneyBroken(shop: Shop, facts: Facts): string[] {
  const departures = new Map(facts.orders.map((order) => [order.orderId, departuresOf(shop, order, facts.claims)]));
  const payments = new Map(facts.payments.map((payment) => [payment.paymentId, payment]));
  const charges = Map.groupBy(facts.charges, ({ orderId }) => orderId);
  const ordersBroken = facts.orders.flatMap((order) => {
    const left = departures.get(order.orderId)!;
    const payment = payments.get(order.payment.paymentId);
    if (!payment) return [`${order.orderNo} has no payment`];
    return [
      ...sumsBroken(shop, order),
      ...unitsBroken(order, left),
      ...refundsBroken(shop, order, left, facts),
      ...providerBroken(order, payment, { charges, left }),
    ];
  });
  return [...ordersBroken, ...unpaidBroken(facts, charges), ...pointsBroken(shop, facts, departures), ...salesBroken(facts, departures)];
}

/** Paid = lines + delivery − discounts − points, as the buyer was told when the payment began. */
function sumsBroken({ started }: Shop, { orderNo, items, amounts, payment, delivery }: Order): string[] {
  const announced = started.find(({ paymentId }) => paymentId === payment.paymentId)?.amounts;
  const lines = sum(items.map(({ totalPrice }) => totalPrice));
  const points = sum(items.map(({ pointAllocation }) => pointAllocation)) + delivery.pointAllocation;
  const checks: readonly (readonly [string, unknown, unknown])[] = [
    ['goods', amounts.productAmount, lines],
    ['total', amounts.totalAmount, lines + amounts.deliveryFee - amounts.couponDiscountAmount - amounts.pointAmount],
    ['cash', payment.totalAmount, amounts.totalAmount],
    ['points of the payment', payment.pointAmount, amounts.pointAmount],
    ['points of lines and fee', points, amounts.pointAmount],
    ['what the buyer was told', announced && amountsOf(announced), amountsOf(amounts)],
    ...items.map(({ totalPrice, unitPrice, quantity, stay }) => {
      const unit = stay ? sum(stay.nights.map(({ price }) => price)) : unitPrice;
      return ['a line', totalPrice, unit * quantity] as const;
    }),
  ];
  return checks.filter(([, is, due]) => is !== due).map(([what, is, due]) => `${orderNo}: ${what} ${String(is)} instead of ${String(due)}`);
}

/** The units that left an item are those of its cancels and claims. */
function unitsBroken({ orderNo, items }: Order, left: readonly PricedDeparture[]): string[] {
  return items.flatMap(({ canceledQuantity, activeQuantity, quantity }, line) => {
    const gone = sum(left.filter((one) => one.line === line).map((one) => one.quantity));
    if (gone === canceledQuantity && activeQuantity === quantity - gone && gone <= quantity) return [];
    return [`${orderNo}: of ${quantity} units ${canceledQuantity} have left and ${activeQuantity} remain, cancels and claims took ${gone}`];
  });
}

/** A payment of which something is left, in the words of both providers. */
const HELD: ReadonlySet<string> = new Set(['DONE', 'PARTIAL_CANCELED', 'PAID', 'PARTIAL_CANCELLED']);
const CHARGED: ReadonlySet<string> = new Set([...HELD, 'CANCELED', 'CANCELLED']);
const heldOf = (charges: readonly Charge[]): number =>
  sum(charges.filter(({ status }) => HELD.has(status)).map(({ balanceAmount }) => balanceAmount));

/** The provider took what the order cost, once, and gave back each refund, once. */
function providerBroken(
  order: Order,
  payment: Payment,
  { charges, left }: { charges: ReadonlyMap<string, Charge[]>; left: readonly PricedDeparture[] },
): string[] {
  const { orderNo, amounts } = order;
  const own = payment.attempts.flatMap(({ pgOrderId }) => charges.get(pgOrderId) ?? []);
  const taken = own.filter(
    ({ status, totalAmount, cancels }) => CHARGED.has(status) && !isVoided({ status, totalAmount, cancels }, payment),
  );
  const back = givenBack(left).cash;
  const refunds = payment.refunds.map(({ amount }) => amount);
  const checks: readonly (readonly [string, unknown, unknown])[] = [
    ['the payment', `${payment.status} ${payment.orderId}`, `completed ${order.orderId}`],
    ['charged', sum(taken.map(({ totalAmount }) => totalAmount)), amounts.totalAmount],
    ['held', heldOf(own), amounts.totalAmount - sum(back)],
    ['refunds of the payment', sorted(refunds), sorted(back)],
    ['refunded in all', payment.refundedAmount, sum(back)],
    ['refunds at the provider', sorted(taken.flatMap(({ cancels }) => cancels.map(({ amount }) => amount))), sorted(back)],
    [
      'open refunds',
      payment.refunds
        .filter(({ status }) => status !== 'DONE')
        .map(({ status }) => status)
        .join(),
      '',
    ],
  ];
  return checks.filter(([, is, due]) => is !== due).map(([what, is, due]) => `${orderNo}: ${what} ${String(is)} instead of ${String(due)}`);
}
/** Of several attempts one has made the order; what was approved for another is given back whole. */
const isVoided = ({ status, totalAmount, cancels }: Omit<Charge, 'balanceAmount' | 'orderId'>, { attempts }: Payment): boolean =>
  attempts.length > 1 &&
  !HELD.has(status) &&
  cancels.length === 1 &&
  cancels[0]!.amount === totalAmount &&
  attempts.some((attempt) => attempt.status === 'VOIDED');

/** Nothing is held for what is no order. */
function unpaidBroken({ payments, orders, charges: all }: Facts, charges: ReadonlyMap<string, Charge[]>): string[] {
  const known = new Set(payments.flatMap(({ attempts }) => attempts.map(({ pgOrderId }) => pgOrderId)));
  const ordered = new Set(orders.map(({ payment }) => payment.paymentId));
  const stray = all.filter(({ orderId }) => !known.has(orderId));
  const open = payments.filter(({ paymentId }) => !ordered.has(paymentId));
  return [
    ...(heldOf(stray) === 0 ? [] : [`the provider holds ${heldOf(stray)} won for nothing`]),
    ...open.flatMap(({ paymentId, status, attempts }) => {
      const held = heldOf(attempts.flatMap(({ pgOrderId }) => charges.get(pgOrderId) ?? []));
      if (held === 0 && (status === 'failed' || status === 'expired')) return [];
      return [`${paymentId} is ${status} and made no order, and the provider holds ${held} won`];
    }),
  ];
}

/** Balance = lots = the history = what the seller gave − what orders took + what came back. */
function pointsBroken(
  { granted }: Shop,
  { accounts, orders }: Facts,
  departures: ReadonlyMap<string, readonly PricedDeparture[]>,
): string[] {
  return accounts.flatMap(({ customerId, balance, lots, entries }) => {
    const own = orders.filter(({ buyer }) => buyer.customerId === customerId);
    const used = sum(own.map(({ amounts }) => amounts.pointAmount));
    const back = sum(own.map(({ orderId }) => givenBack(departures.get(orderId)!).points));
    const due = (granted.get(customerId) ?? 0) - used + back;
    const history = sum(entries.map(({ amount }) => amount));
    let running = 0;
    const isRunning = entries.every((entry) => (running += entry.amount) === entry.balance && entry.balance >= 0);
    if (balance === due && lots === due && history === due && isRunning) return [];
    return [
      `${customerId}: ${balance} points, in lots ${lots}, by the history ${history}${isRunning ? '' : ' with a wrong balance'}; due are ${due}`,
    ];
  });
}

function salesBroken({ sales, orders }: Facts, departures: ReadonlyMap<string, readonly PricedDeparture[]>): string[] {
  const back = orders.flatMap(({ orderId }) => givenBack(departures.get(orderId)!).cash);
  const paid = sum(orders.map(({ amounts }) => amounts.totalAmount));
  const due: Readonly<Record<string, number>> = {
    paymentCount: orders.length,
    paymentAmount: paid,
    pointAmount: sum(orders.map(({ amounts }) => amounts.pointAmount)),
    refundCount: back.length,
    refundAmount: sum(back),
    netAmount: paid - sum(back),
  };
  return Object.entries(due)
    .filter(([name, won]) => sales[name] !== won)
    .map(([name, won]) => `the sales report says ${name} ${sales[name]}, its orders and refunds ${won}`);
}
