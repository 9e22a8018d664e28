/** The overview of a period: each of its days, and all of them (R11). */
import { type Days, momentsOf } from '../kernel/period.ts';
import { DAY, koreanDate } from '../kernel/time.ts';

export interface VisitCounts {
  readonly visitors: number;
  readonly sessions: number;
  readonly pageViews: number;
  readonly productViews: number;
  readonly cartAdds: number;
  readonly paymentStarts: number;
  readonly purchases: number;
  /** Cash at the approval; refunds are not deducted. */
  readonly purchaseAmount: number;
}
export interface VisitDay extends VisitCounts {
  readonly date: string;
  /** Who had not been there on an earlier day of the period. */
  readonly newVisitors: number;
  readonly newSessions: number;
}
interface Overview {
  readonly totals: VisitCounts;
  readonly days: ({ readonly date: string } & VisitCounts)[];
}
const NOTHING: VisitCounts = {
  visitors: 0,
  sessions: 0,
  pageViews: 0,
  productViews: 0,
  cartAdds: 0,
  paymentStarts: 0,
  purchases: 0,
  purchaseAmount: 0,
};

/** `found`: the days on which something happened. Visitors and sessions are distinct in each day, and in all of them. */
export function overviewOf(period: Days, found: readonly VisitDay[]): Overview {
  const known = new Map(found.map((day) => [day.date, shown(day)]));
  const total = (of: (day: VisitDay) => number) => found.reduce((sum, day) => sum + of(day), 0);
  return {
    totals: {
      visitors: total((day) => day.newVisitors),
      sessions: total((day) => day.newSessions),
      pageViews: total((day) => day.pageViews),
      productViews: total((day) => day.productViews),
      cartAdds: total((day) => day.cartAdds),
      paymentStarts: total((day) => day.paymentStarts),
      purchases: total((day) => day.purchases),
      purchaseAmount: total((day) => day.purchaseAmount),
    },
    days: daysOf(period).map((date) => known.get(date) ?? { date, ...NOTHING }),
  };
}

function shown(day: VisitDay): Overview['days'][number] {
  const { newVisitors: _, newSessions: _sessions, ...counts } = day;
  return counts;
}

/** Every day of a period, in order. */
function daysOf(period: Days): string[] {
  const { since, until } = momentsOf(period);
  return Array.from({ length: (until - since) / DAY }, (_, n) => koreanDate(since + n * DAY));
}
