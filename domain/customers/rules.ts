/**
 * Customers of a store: what lists show of them, and what proves that somebody means this one (docs/contract.md#members-of-the-shop). Pure.
 */
import { DAY, KOREA } from '../kernel/time.ts';

/** A phone as lists show it: every digit but the first 3 and the last 4 is `*`, hyphens as given. */
export function maskPhone(phone: string): string {
  const digits = phone.replaceAll(/\D/g, '').length;
  let n = 0;
  return phone.replaceAll(/\d/g, (digit) => {
    n++;
    return n <= 3 || n > digits - 4 ? digit : '*';
  });
}

/** Whether a keyword may be the end of a phone number (U3). */
export const isPhoneEnd = (keyword: string): boolean => /^\d{4}$/.test(keyword);

const normal = (text: string): string => text.trim().toLowerCase();
/** Whether this names the customer who is to be withdrawn: by e-mail, and by name only where there is no e-mail (U11). */
export function isConfirmation(
  { email, name }: { readonly email: string | null; readonly name: string | null },
  confirmation: string | null,
): boolean {
  const expected = email ?? name;
  return expected !== null && confirmation !== null && normal(expected) === normal(confirmation);
}

/** The sort orders of the list; `-` is descending. */
export const CUSTOMER_SORTS = ['joinedAt', 'name', 'orderCount', 'purchaseAmount', 'lastOrderedAt'].flatMap((one) => [one, `-${one}`]) as [
  CustomerSort,
  ...CustomerSort[],
];
type SortField = 'joinedAt' | 'name' | 'orderCount' | 'purchaseAmount' | 'lastOrderedAt';
export type CustomerSort = SortField | `-${SortField}`;

/** The first millisecond of a Korean day, `days` later. */
export const startOfDay = (day: string, days = 0): number => Date.parse(day) - KOREA + days * DAY;

/** A buyer's address book holds this many. */
export const MAX_BUYER_ADDRESSES = 20;

/** What is still in progress and stands in the way of a withdrawal. */
export interface InProgress {
  readonly orderItems: number;
  readonly claims: number;
  readonly payments: number;
}
export const isBlocked = ({ orderItems, claims, payments }: InProgress): boolean => orderItems + claims + payments > 0;
