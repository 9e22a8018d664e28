/** Visits of a shop: what its pages report, where a session came from (docs/contract.md#visits, docs/contract.md#analytics). */
import { DAY } from '../kernel/time.ts';

/** What a page reports. */
export const PAGE_EVENTS = ['PAGE_VIEW', 'PRODUCT_VIEW'] as const;
export type PageEvent = (typeof PAGE_EVENTS)[number];
/** The server's own records that carried the headers of a visit; PURCHASE_LINE: a line of a purchase. */
export type VisitEventType = PageEvent | 'CART_ADD' | 'PAYMENT_START' | 'PURCHASE' | 'PURCHASE_LINE';

/** Events of one visitor of a store in any `windowMs` of real time. */
export const VISITOR_LIMIT = { max: 120, windowMs: 60_000 };
export const BATCH_EVENTS = 100;
/**
 * Events of a Korean day that a store takes: of one visitor, from one client address, and in all. What goes beyond is dropped and counted,
 * so that nobody fills a store's tables: who reports more than a shop has visitors makes its numbers worthless anyway.
 */
export const VISITOR_EVENTS_A_DAY = 2000;
export const ADDRESS_EVENTS_A_DAY = 20_000;
export const STORE_EVENTS_A_DAY = 200_000;
/** Characters of what is kept of an address and of a source; the rest is cut off. */
export const PATH_LENGTH = 200;
export const SOURCE_LENGTH = 100;

/** At most so many characters, without half of a pair at the end. */
export const cut = (text: string, max: number): string => text.slice(0, max).replace(/[\uD800-\uDBFF]$/, '');
/** The longest period of a report, in days. */
export const MAX_DAYS = 366;

/** Events are dropped after this (real time); they have been counted long before. */
export const EVENT_RETENTION_MS = 7 * DAY;
/** Who was there on which day: longer than any period, and than an event can be late. */
export const MEMBER_RETENTION_MS = 400 * DAY;

/** Where a session came from. */
export interface Source {
  readonly source: string;
  readonly medium: string;
}
const DIRECT: Source = { source: 'direct', medium: 'none' };

interface Arrival {
  readonly referrer?: string | undefined;
  readonly utmSource?: string | undefined;
  readonly utmMedium?: string | undefined;
}
/** What an event says of it. `own`: origins of the shop, which are no source. */
export function sourceOf({ referrer, utmSource, utmMedium }: Arrival, own: readonly string[]): Source {
  if (utmSource !== undefined) return { source: cut(utmSource.toLowerCase(), SOURCE_LENGTH), medium: utmMedium ?? 'none' };
  if (referrer === undefined || !URL.canParse(referrer) || isAmong(own, referrer)) return DIRECT;
  const host = new URL(referrer).hostname.replace(/^www\./, '');
  return host === '' ? DIRECT : { source: cut(host, SOURCE_LENGTH), medium: 'referral' };
}

/** Whether an address has one of these origins: the same scheme, host and port, whatever the case and with default ports (R9). */
export function isAmong(origins: readonly string[], address: string): boolean {
  const of = (text: string) => (URL.canParse(text) ? new URL(text).origin : null);
  const wanted = of(address);
  return wanted !== null && wanted !== 'null' && origins.some((origin) => of(origin) === wanted);
}
/** As browsers send it: a scheme, a host, and a port unless it is the scheme's. */
export const isOrigin = (text: string): boolean => /^https?:\/\/[^\s/?#@\\]+$/i.test(text) && URL.canParse(text);
