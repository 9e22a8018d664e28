/** Visits made at random, and reports of them that are added up from the recorded events one by one. */
import fc from 'fast-check';
import type { NewEvent } from '../../../db/visits/record.ts';
import type { VisitFilter } from '../../../db/visits/lists.ts';
import { DAY, HOUR, koreanDate } from '../../../domain/kernel/time.ts';
import type { VisitEventType } from '../../../domain/visits/rules.ts';

const PRODUCTS = ['prd_a', 'prd_b', 'prd_c'] as const;
const SOURCES = [
  { source: 'naver', medium: 'cpc' },
  { source: 'naver', medium: 'none' },
  { source: 'blog.example', medium: 'referral' },
  { source: 'direct', medium: 'none' },
] as const;

export interface Batch {
  /** Milliseconds from a Korean midnight. */
  readonly at: number;
  readonly visitorId: string | null;
  readonly sessionId: string | null;
  readonly events: readonly NewEvent[];
  readonly isTest: boolean;
}
/** Around midnights of days that a period may and may not span. */
const moment = fc
  .tuple(fc.constantFrom(-367, -366, -365, -40, -2, -1, 0, 1, 2), fc.constantFrom(-1, 0, 1, 2, 3, HOUR, -9 * HOUR, 15 * HOUR))
  .map(([days, ms]) => days * DAY + ms);
const visit = { at: moment, isTest: fc.boolean() };
const view = fc.oneof(
  fc.constantFrom(...SOURCES).map((from): NewEvent => ({ type: 'PAGE_VIEW', path: '/', from })),
  fc
    .tuple(fc.constantFrom(...PRODUCTS, 'prd_unknown'), fc.constantFrom(...SOURCES))
    .map(([productId, from]): NewEvent => ({ type: 'PRODUCT_VIEW', path: '/p', productId, from })),
);
const sold = fc.array(
  fc.record({
    type: fc.constant('PURCHASE_LINE' as const),
    productId: fc.constantFrom(...PRODUCTS),
    quantity: fc.nat(3),
    amountWon: fc.nat(500),
  }),
  { maxLength: 2 },
);
const recorded = fc.oneof(
  fc.constantFrom(...PRODUCTS).map((productId): NewEvent[] => [{ type: 'CART_ADD', productId }]),
  fc.constant<NewEvent[]>([{ type: 'PAYMENT_START' }]),
  fc.tuple(fc.nat(9000), sold).map(([amountWon, lines]): NewEvent[] => [{ type: 'PURCHASE', amountWon }, ...lines]),
);
const [visitor, session] = [fc.constantFrom('v1', 'v2', 'v3', 'v4'), fc.constantFrom('s1', 's2', 's3', 's4', 's5', 's6')];
const batch = fc.oneof(
  fc.record<Batch>({
    ...visit,
    isTest: fc.constant(false),
    visitorId: visitor,
    sessionId: session,
    events: fc.array(view, { minLength: 1, maxLength: 4 }),
  }),
  fc.record<Batch>({ ...visit, visitorId: fc.option(visitor), sessionId: fc.option(session), events: recorded }),
);
/** Committed in this order, which is not that of their times; counted after each part, by as many at once. */
export const someParts = fc.array(fc.record({ batches: fc.array(batch, { maxLength: 6 }), counters: fc.integer({ min: 1, max: 3 }) }), {
  minLength: 1,
  maxLength: 4,
});
export const somePeriods = fc.array(
  fc.record({ from: fc.constantFrom(-367, -365, -41, -2, -1, 0, 1), days: fc.constantFrom(1, 2, 3, 41, 366), includeTest: fc.boolean() }),
  { minLength: 1, maxLength: 4 },
);
export const periodAt = (
  { from, days, includeTest }: { from: number; days: number; includeTest: boolean },
  midnight: number,
): VisitFilter => ({
  from: koreanDate(midnight + from * DAY),
  to: koreanDate(midnight + (from + days - 1) * DAY),
  includeTest,
});

/** A row of `visit_event`, in the order of time, batch and position. */
export interface Recorded {
  readonly type: VisitEventType;
  readonly at: Date;
  readonly visitor_id: string | null;
  readonly session_id: string | null;
  readonly product_id: string | null;
  readonly source: string | null;
  readonly medium: string | null;
  readonly quantity: number;
  readonly amount_won: string;
  readonly is_test: boolean;
}
const isView = ({ type }: Recorded) => type === 'PAGE_VIEW' || type === 'PRODUCT_VIEW';
const distinct = (events: readonly Recorded[], of: (event: Recorded) => string | null) => new Set(events.filter(isView).map(of)).size;
const wonOf = (events: readonly Recorded[], type: VisitEventType) =>
  events.filter((one) => one.type === type).reduce((sum, one) => sum + Number(one.amount_won), 0);

function countsOf(events: readonly Recorded[]) {
  const count = (type: VisitEventType) => events.filter((one) => one.type === type).length;
  return {
    visitors: distinct(events, ({ visitor_id: id }) => id),
    sessions: distinct(events, ({ session_id: id }) => id),
    pageViews: events.filter(isView).length,
    productViews: count('PRODUCT_VIEW'),
    cartAdds: count('CART_ADD'),
    paymentStarts: count('PAYMENT_START'),
    purchases: count('PURCHASE'),
    purchaseAmount: wonOf(events, 'PURCHASE'),
  };
}
const dayOf = ({ at }: Recorded) => koreanDate(at.getTime());
const within = (events: readonly Recorded[], { from, to, includeTest }: VisitFilter) =>
  events.filter((one) => dayOf(one) >= from && dayOf(one) <= to && (includeTest || !one.is_test));

/** The totals, and the days on which something happened. */
export function plainOverview(events: readonly Recorded[], filter: VisitFilter) {
  const found = within(events, filter);
  const days = [...Map.groupBy(found, dayOf)].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return { totals: countsOf(found), days: days.map(([date, own]) => ({ date, ...countsOf(own) })) };
}

export function plainProducts(events: readonly Recorded[], filter: VisitFilter) {
  const found = within(events, filter).filter(({ product_id: id }) => id !== null);
  return [...Map.groupBy(found, ({ product_id: id }) => id!)]
    .map(([productId, own]) => {
      const { productViews, visitors, cartAdds } = countsOf(own);
      const lines = own.filter(({ type }) => type === 'PURCHASE_LINE');
      const purchaseQuantity = lines.reduce((sum, { quantity }) => sum + quantity, 0);
      return {
        productId,
        productName: productId,
        productViews,
        visitors,
        cartAdds,
        purchaseQuantity,
        purchaseAmount: wonOf(own, 'PURCHASE_LINE'),
      };
    })
    .toSorted((one, other) => other.productViews - one.productViews || (one.productId < other.productId ? -1 : 1));
}

export function plainSources(events: readonly Recorded[], filter: VisitFilter) {
  const firsts = new Map<string, Recorded>();
  for (const event of events) if (isView(event) && !firsts.has(event.session_id!)) firsts.set(event.session_id!, event);
  const keyOf = ({ session_id: id }: Recorded) => {
    const first = firsts.get(id ?? '');
    return first && JSON.stringify([first.source, first.medium]);
  };
  const found = within(events, filter).filter((one) => keyOf(one) !== undefined && (isView(one) || one.type === 'PURCHASE'));
  return [...Map.groupBy(found, (one) => keyOf(one)!)]
    .map(([key, own]) => {
      const [source, medium] = JSON.parse(key) as [string, string];
      const { visitors, sessions, pageViews, purchases, purchaseAmount } = countsOf(own);
      return { source, medium, visitors, sessions, pageViews, purchases, purchaseAmount };
    })
    .toSorted((one, other) => other.sessions - one.sessions || (one.source + one.medium < other.source + other.medium ? -1 : 1));
}
