/** The audit log: what its records are, and how long they are listed (docs/contract.md#audit). */
import type { ActorRef } from '../identity/actors.ts';
import { DAY } from '../kernel/time.ts';

/** `REQUEST`: a management request and how it ended. `DOMAIN`: a change that moves money or rights, written with it. */
export const SOURCES = ['REQUEST', 'DOMAIN'] as const;
export type Source = (typeof SOURCES)[number];

export const OUTCOMES = ['SUCCEEDED', 'FAILED', 'PENDING_APPROVAL', 'DENIED', 'DRY_RUN'] as const;
export type Outcome = (typeof OUTCOMES)[number];
/** The outcome of every DOMAIN record. */
export const DOMAIN_OUTCOME: Outcome = 'SUCCEEDED';

/** The actor of a change that nobody requested: a deadline, a courier, an operator, a buyer. */
export const SYSTEM = { type: 'SYSTEM', id: 'SYSTEM', name: 'SYSTEM' } as const satisfies ActorRef & { readonly name: string };

/** The actions of DOMAIN records, and for how long they are listed. */
const LISTED = {
  ORDER_ITEM_CANCELED: 'ever',
  CLAIM_REFUNDED: 'ever',
  FLOW_REFUNDED: 'ever',
  REFUND_PROCESSED: 'ever',
  POINT_ADJUSTED: 'ever',
  CUSTOMER_WITHDRAWN: 'ever',
  APPROVAL_DECIDED: 'year',
  MEMBER_INVITED: 'year',
  MEMBER_INVITATION_RESENT: 'year',
  MEMBER_INVITATION_CANCELED: 'year',
  MEMBER_INVITATION_ACCEPTED: 'year',
  MEMBER_ROLE_CHANGED: 'year',
  MEMBER_REMOVED: 'year',
} as const satisfies Readonly<Record<string, 'ever' | 'year'>>;
export type DomainAction = keyof typeof LISTED;

/** The actions of DOMAIN records that are listed for a year, like REQUEST records; all others for ever. */
export const YEAR_ACTIONS: readonly string[] = Object.entries(LISTED).flatMap(([action, period]) => (period === 'year' ? [action] : []));
/** A year of the store's clock. */
export const LISTED_MS = 365 * DAY;
/** How long a REQUEST record is stored at least, by the real clock, which is never ahead of a store's: thirteen months. */
export const RETAINED_MS = 13 * 31 * DAY;
