/**
 * What events add to the reports. Everything is a sum of what single events add, so that the order in which they are counted does not
 * matter, and what was added can be taken back when an earlier event of its session turns up.
 */
import { koreanDate } from '../kernel/time.ts';
import type { Source, VisitEventType } from './rules.ts';

export interface VisitEvent {
  readonly type: VisitEventType;
  /** Business time. */
  readonly at: number;
  readonly visitorId: string | null;
  readonly sessionId: string | null;
  /** Of a view, of what was put into a cart, of a line. */
  readonly productId: string | null;
  readonly quantity: number;
  /** Of a purchase its cash, of a line its price. */
  readonly amountWon: number;
  readonly isTest: boolean;
}
/** In which list of a report something counts: ALL, or under a product or a source. */
type SumList = 'ALL' | 'PRODUCT' | 'SOURCE';
/** In which list a visitor or session counts as one. */
type MemberList = 'VISITOR' | 'SESSION' | 'PRODUCT_VISITOR' | 'SOURCE_VISITOR' | 'SOURCE_SESSION';

/** A cell of a list: a Korean day under a key; `key` is empty for all, `medium` of a source only. */
interface Cell<L> {
  readonly list: L;
  readonly key: string;
  readonly medium: string;
  readonly day: string;
}
export interface Sums {
  readonly pageViews: number;
  readonly productViews: number;
  readonly cartAdds: number;
  readonly paymentStarts: number;
  readonly purchases: number;
  readonly quantity: number;
  readonly amountWon: number;
}
export type SumChange = Cell<SumList> & Sums & { readonly isTest: boolean };
/** `n` events of `who` more, or fewer. */
export type MemberChange = Cell<MemberList> & { readonly who: string; readonly n: number };
export interface Changes {
  readonly sums: readonly SumChange[];
  readonly members: readonly MemberChange[];
}

const isView = ({ type }: VisitEvent): boolean => type === 'PAGE_VIEW' || type === 'PRODUCT_VIEW';

/** What an event adds outside of the sources. */
export function inShop(event: VisitEvent): Changes {
  const { type, productId, quantity, amountWon } = event;
  const product = productId ?? '';
  switch (type) {
    case 'PAGE_VIEW':
      return { sums: [sum(event, 'ALL', { pageViews: 1 })], members: present(event) };
    case 'PRODUCT_VIEW':
      return {
        sums: [sum(event, 'ALL', { pageViews: 1, productViews: 1 }), sum(event, 'PRODUCT', { productViews: 1 }, product)],
        members: [...present(event), ...member(event, 'PRODUCT_VISITOR', event.visitorId, product)],
      };
    case 'CART_ADD':
      return { sums: [sum(event, 'ALL', { cartAdds: 1 }), sum(event, 'PRODUCT', { cartAdds: 1 }, product)], members: [] };
    case 'PAYMENT_START':
      return { sums: [sum(event, 'ALL', { paymentStarts: 1 })], members: [] };
    case 'PURCHASE':
      return { sums: [sum(event, 'ALL', { purchases: 1, amountWon })], members: [] };
    case 'PURCHASE_LINE':
      return { sums: [sum(event, 'PRODUCT', { quantity, amountWon }, product)], members: [] };
    default:
      return type satisfies never;
  }
}

/** What an event adds under the source of its session; `sign` −1: what it takes away there. */
export function fromSource(event: VisitEvent, { source, medium }: Source, sign: 1 | -1 = 1): Changes {
  if (event.type === 'PURCHASE')
    return { sums: [sum(event, 'SOURCE', { purchases: sign, amountWon: sign * event.amountWon }, source, medium)], members: [] };
  if (!isView(event)) return { sums: [], members: [] };
  return {
    sums: [sum(event, 'SOURCE', { pageViews: sign }, source, medium)],
    members: [
      ...member(event, 'SOURCE_VISITOR', event.visitorId, source, medium, sign),
      ...member(event, 'SOURCE_SESSION', event.sessionId, source, medium, sign),
    ],
  };
}

const NOTHING: Sums = { pageViews: 0, productViews: 0, cartAdds: 0, paymentStarts: 0, purchases: 0, quantity: 0, amountWon: 0 };
const sum = ({ at, isTest }: VisitEvent, list: SumList, added: Partial<Sums>, key = '', medium = ''): SumChange => ({
  ...NOTHING,
  ...added,
  list,
  key,
  medium,
  day: koreanDate(at),
  isTest,
});
const member = ({ at }: VisitEvent, list: MemberList, who: string | null, key = '', medium = '', n = 1): MemberChange[] =>
  who === null ? [] : [{ list, key, medium, day: koreanDate(at), who, n }];
const present = (event: VisitEvent): MemberChange[] => [
  ...member(event, 'VISITOR', event.visitorId),
  ...member(event, 'SESSION', event.sessionId),
];

/** The same changes with each cell once, in a fixed order, without those that change nothing. */
export function addedUp(changes: readonly Changes[]): Changes {
  const sums = [
    ...Map.groupBy(
      changes.flatMap((one) => one.sums),
      cellOf,
    ).values(),
  ].map((same) => same.reduce(plus));
  const members = [
    ...Map.groupBy(
      changes.flatMap((one) => one.members),
      cellOf,
    ).values(),
  ].map((same) => same.reduce((one, other) => ({ ...one, n: one.n + other.n })));
  return { sums: sums.filter((one) => COUNTERS.some((name) => one[name] !== 0)), members: members.filter(({ n }) => n !== 0) };
}

const COUNTERS = Object.keys(NOTHING) as readonly (keyof Sums)[];
const plus = (one: SumChange, other: SumChange): SumChange => ({
  ...one,
  ...Object.fromEntries(COUNTERS.map((name) => [name, one[name] + other[name]])),
});
const cellOf = (one: SumChange | MemberChange): string =>
  JSON.stringify([one.list, one.key, one.medium, one.day, 'who' in one ? one.who : one.isTest]);

/** The first event of a session that is a view says where the session came from; the earliest, then the one that was collected first. */
export interface Positioned extends VisitEvent {
  readonly batchId: string;
  readonly position: number;
  /** What it says itself; null: it is no view. */
  readonly source: Source | null;
}
export function isEarlier(one: Positioned, other: Positioned): boolean {
  if (one.at !== other.at) return one.at < other.at;
  if (one.batchId !== other.batchId) return one.batchId < other.batchId;
  return one.position < other.position;
}
