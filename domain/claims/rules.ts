/** Claims: a buyer's cancel, return or exchange of an order item (docs/contract.md#claims). */
import type { FieldError } from '../kernel/errors.ts';
import { visibleLength } from '../kernel/text.ts';
import { DAY } from '../kernel/time.ts';

export const CLAIM_TYPES = ['CANCEL', 'RETURN', 'EXCHANGE'] as const;
export type ClaimType = (typeof CLAIM_TYPES)[number];

export const CLAIM_STATUSES = [
  'REQUESTED',
  'HELD',
  'COLLECTING',
  'COLLECTED',
  'REDELIVERING',
  'COMPLETED',
  'REJECTED',
  'WITHDRAWN',
] as const;
export type ClaimStatus = (typeof CLAIM_STATUSES)[number];
const CLOSED: ReadonlySet<ClaimStatus> = new Set(['COMPLETED', 'REJECTED', 'WITHDRAWN']);
export const isOpen = (status: ClaimStatus): boolean => !CLOSED.has(status);

/** Why a buyer files a claim, by its type. */
export const CLAIM_REASONS = {
  CANCEL: ['CHANGE_OF_MIND', 'ORDER_MISTAKE', 'DELIVERY_DELAY', 'OTHER'],
  RETURN: ['CHANGE_OF_MIND', 'DEFECTIVE', 'WRONG_ITEM', 'OPTION_CHANGE', 'OTHER'],
  EXCHANGE: ['CHANGE_OF_MIND', 'DEFECTIVE', 'WRONG_ITEM', 'OPTION_CHANGE', 'OTHER'],
} as const satisfies Record<ClaimType, readonly string[]>;
export type ClaimReason = (typeof CLAIM_REASONS)[ClaimType][number];
export const ALL_CLAIM_REASONS: readonly ClaimReason[] = [...new Set(Object.values(CLAIM_REASONS).flat())];
const SELLER_FAULTS: ReadonlySet<ClaimReason> = new Set(['DEFECTIVE', 'WRONG_ITEM', 'DELIVERY_DELAY']);
export const isSellerFault = (reason: ClaimReason): boolean => SELLER_FAULTS.has(reason);

/** Why a seller rejects a claim. */
export const REJECT_REASONS = ['USAGE_TRACES', 'MISSING_COMPONENTS', 'PERIOD_EXPIRED', 'BUYER_FAULT_DAMAGE', 'OTHER'] as const;
export type RejectReason = (typeof REJECT_REASONS)[number];
export const COLLECTION_METHODS = ['SELLER_PICKUP', 'BUYER_SEND'] as const;
export type CollectionMethod = (typeof COLLECTION_METHODS)[number];

export const MAX_IMAGES = 5;
/** A claim is held once, for at most seven days. */
export const MAX_HOLD_MS = 7 * DAY;

/** What an order item shows of a claim of it. Times are business milliseconds. */
export interface ClaimSummary {
  readonly claimId: string;
  readonly claimNo: string;
  readonly type: ClaimType;
  readonly status: ClaimStatus;
  readonly quantity: number;
  readonly reason: ClaimReason;
  readonly requestedAt: number;
}

export interface Collection {
  readonly method: CollectionMethod;
  readonly carrierCode: string | null;
  readonly trackingNumber: string | null;
  readonly registeredAt: number;
  readonly completedAt: number | null;
}
/** What came back, unit by unit. */
export interface Inspection {
  readonly soundQuantity: number;
  readonly damagedQuantity: number;
  readonly missingQuantity: number;
  readonly note: string | null;
  readonly images: readonly string[];
}
export interface Redelivery {
  readonly optionId: string;
  readonly carrierCode: string;
  readonly trackingNumber: string;
  readonly registeredAt: number;
}
export interface Rejection {
  readonly reason: RejectReason;
  /** For the buyer. */
  readonly explanation: string;
  readonly evidenceImages: readonly string[];
  readonly rejectedAt: number;
}

/** A claim as a buyer files it. */
export interface ClaimRequest {
  readonly type: ClaimType;
  readonly reason: ClaimReason;
  readonly detail?: string;
  /** Absent: all remaining units. */
  readonly quantity?: number;
  readonly exchangeOptionId?: string;
  readonly images?: readonly string[];
}

/** What the schema of a request does not say: a reason of another type, an option of what is not exchanged. Returns every problem. */
export function requestProblems({ type, reason, exchangeOptionId }: Partial<ClaimRequest>): FieldError[] {
  if (type === undefined) return [];
  const problems: FieldError[] = [];
  const known: readonly string[] = CLAIM_REASONS[type] ?? [];
  if (reason !== undefined && ALL_CLAIM_REASONS.includes(reason) && !known.includes(reason))
    problems.push({ field: 'reason', code: 'INVALID', message: `${type} takes ${known.join(', ')}.` });
  if (exchangeOptionId !== undefined && type !== 'EXCHANGE')
    problems.push({ field: 'exchangeOptionId', code: 'NOT_APPLICABLE', message: 'Only an exchange has another option.' });
  return problems;
}

/** SELLER_PICKUP needs a carrier. */
export const collectionProblems = (collection: { readonly method?: unknown; readonly carrierCode?: unknown }): FieldError[] =>
  collection.method === 'SELLER_PICKUP' && !('carrierCode' in collection)
    ? [{ field: 'carrierCode', code: 'REQUIRED', message: 'SELLER_PICKUP needs it.' }]
    : [];

export const QUANTITIES = ['soundQuantity', 'damagedQuantity', 'missingQuantity'] as const;
/** An inspection tells all three quantities. */
export const inspectionProblems = (inspection: object): FieldError[] =>
  Object.keys(inspection).length === 0
    ? []
    : QUANTITIES.filter((field) => !(field in inspection)).map((field) => ({
        field,
        code: 'REQUIRED',
        message: 'An inspection needs it.',
      }));

/** An explanation that is read by buyers, blanks around it aside. */
export const MIN_EXPLANATION = 10;
/** A rejection is explained. */
export const rejectionProblems = ({ explanation }: { readonly explanation?: string | undefined }): FieldError[] =>
  explanation !== undefined && visibleLength(explanation) < MIN_EXPLANATION
    ? [{ field: 'explanation', code: 'TOO_SHORT', message: `It has at least ${MIN_EXPLANATION} characters, blanks around it aside.` }]
    : [];
