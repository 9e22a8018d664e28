/** The books of an order as the reference has them, and what may be done with it. Time is counted in whole days. */
import type { Amounts, Goods, OrderBook } from './money.ts';

export type ClaimType = 'CANCEL' | 'RETURN' | 'EXCHANGE';
export interface Claim {
  /** Empty until the API has answered. */
  claimId: string;
  readonly type: ClaimType;
  readonly line: number;
  readonly quantity: number;
  readonly isFault: boolean;
  readonly optionId: string;
  status: 'REQUESTED' | 'HELD' | 'COLLECTING' | 'COLLECTED' | 'REDELIVERING' | 'COMPLETED' | 'REJECTED' | 'WITHDRAWN';
  isHoldUsed: boolean;
  heldUntil: number | null;
  restocked: number;
  shortfall: number;
  amounts: Amounts;
  /** Of a closed claim: what an approval would have given back. */
  expected: Amounts | null;
}
export interface Line extends Goods {
  readonly orderItemId: string;
  readonly productId: string;
  readonly optionId: string;
  readonly otherOptionId: string;
  readonly isShipped: boolean;
  status: 'PAID' | 'CONFIRMED' | 'DISPATCHED' | 'DELIVERED' | 'PURCHASE_DECIDED' | 'CANCELED' | 'RETURNED' | 'EXCHANGED';
  /** The day on which its status began, and on which the next automatic step falls due; `daysLeft` while a claim is open. */
  since: number;
  due: number | null;
  daysLeft: number | null;
}
export interface Shop extends OrderBook {
  readonly lines: Line[];
  readonly isMember: boolean;
  readonly autoDeliverDays: number;
  readonly autoConfirmDays: number;
  day: number;
  readonly stock: Record<string, number>;
  readonly claims: Claim[];
  readonly heldRefunds: Record<string, true>;
  readonly releasedRefunds: Record<string, true>;
}

export interface Filing {
  readonly line: number;
  readonly type: ClaimType;
  readonly reason: string;
  readonly quantity?: number;
  readonly exchangeOptionId?: string;
  readonly isStranger: boolean;
}
export type Action =
  | { readonly do: 'preview' | 'file'; readonly filing: Filing }
  | { readonly do: 'withdraw'; readonly claimId: string; readonly isStranger: boolean }
  | { readonly do: 'approve'; readonly claimId: string; readonly deductAmount?: number; readonly holdRefund?: boolean }
  | { readonly do: 'reject'; readonly claimId: string; readonly explanation: string }
  | { readonly do: 'collect'; readonly claimId: string; readonly method: 'SELLER_PICKUP' | 'BUYER_SEND'; readonly carrierCode?: string }
  | {
      readonly do: 'collect/complete';
      readonly claimId: string;
      readonly inspection?: readonly [sound: number, damaged: number, missing: number];
    }
  | { readonly do: 'redelivery'; readonly claimId: string; readonly optionId?: string }
  | { readonly do: 'complete-exchange' | 'release'; readonly claimId: string }
  /** `days` absent: the seven days that a hold lasts when nothing else is said. */
  | { readonly do: 'hold'; readonly claimId: string; readonly days?: number }
  | { readonly do: 'confirm' | 'dispatch' | 'delivered' | 'fulfill' | 'decide' | 'extend'; readonly line: number }
  | { readonly do: 'cancel'; readonly line: number; readonly quantity?: number; readonly holdRefund?: boolean }
  | { readonly do: 'process'; readonly refundId: string }
  | { readonly do: 'advance'; readonly days: number }
  | { readonly do: 'stock'; readonly productId: string; readonly optionId: string; readonly quantity: number };

/** What the API answers. `learn` takes the ids that only the API knows. */
export interface Expected {
  readonly status: number;
  readonly code: string | null;
  readonly data: Readonly<Record<string, unknown>>;
  readonly learn?: (data: { readonly claimId?: string; readonly refundId?: string | null }) => void;
}
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}
export const refuse = (code: string, status = 409): never => {
  throw new Refusal(status, code);
};

export type Answer = Pick<Expected, 'data'> & Partial<Expected>;
