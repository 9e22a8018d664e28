/** The state of one flow, as it is stored. It has one member (`ITEM`) or many (`ORDER_GROUP`). */
import type { PublicStatus } from './status.ts';

export interface Due {
  readonly key: string;
  /** When it falls due; null while a claim pauses it. */
  readonly at: number | null;
  /** Remaining milliseconds at the time it was paused. */
  readonly left?: number;
}
export interface Position {
  readonly id: string;
  readonly node: string;
  readonly enteredAt: number;
  readonly due: readonly Due[];
}
export interface Member {
  readonly id: string;
  readonly activeQuantity: number;
}
export interface FlowState {
  readonly v: 1;
  /** Counts the steps: `orderItemId:seq.index` identifies an effect permanently. */
  readonly seq: number;
  readonly members: readonly Member[];
  readonly claims: readonly { readonly id: string; readonly member: string }[];
  readonly status: PublicStatus;
  readonly positions: readonly Position[];
  readonly done?: 'COMPLETED' | 'CANCELED';
}

/** What takes units of an item away. */
export type ReduceCause = 'SELLER_CANCEL' | 'CLAIM_CANCEL' | 'CLAIM_RETURN' | 'CLAIM_EXCHANGE';

export type FlowEvent =
  | { readonly type: 'start'; readonly members: readonly Member[] }
  | { readonly type: 'seller.action' | 'buyer.action'; readonly key: string }
  | { readonly type: 'event'; readonly name: string }
  | { readonly type: 'elapsed' }
  | { readonly type: 'claim.opened'; readonly claimId: string; readonly member: string }
  | { readonly type: 'claim.closed'; readonly claimId: string }
  /** A cancel, return or exchange took `quantity` units of a member away; a member without units is removed. */
  | { readonly type: 'reduced'; readonly member: string; readonly quantity: number; readonly cause: ReduceCause; readonly refId: string };

/** Input of a step besides the state. */
export interface Facts {
  readonly settings: { readonly autoDeliverDays: number; readonly autoConfirmDays: number };
}

/** What the transaction has to do for a step. `at`: the business time at which it happened. */
export type Effect =
  | { readonly type: 'status'; readonly from: PublicStatus; readonly to: PublicStatus; readonly at: number }
  | { readonly type: 'state'; readonly from: string | null; readonly to: string; readonly label: string; readonly at: number }
  | { readonly type: 'tracking.start' | 'tracking.stop' | 'fulfillment.record'; readonly at: number };

export interface Trace {
  readonly at: number;
  readonly edges: readonly string[];
  readonly from: readonly string[];
  readonly to: readonly string[];
}

export type Refusal = {
  readonly ok: false;
  readonly code: 'ACTION_NOT_AVAILABLE' | 'FLOW_EVENT_NOT_ACCEPTED' | 'INVALID_QUANTITY' | 'STALE';
  readonly reason: 'NOT_IN_STATE' | 'FINISHED' | 'CLAIM_IN_PROGRESS' | 'INVALID_QUANTITY' | 'STALE';
};
export type StepResult =
  | { readonly ok: true; readonly state: FlowState; readonly effects: readonly Effect[]; readonly trace: readonly Trace[] }
  | Refusal;

/** When a flow came to where it is: to its end, where it has ended. */
export const enteredAt = ({ positions }: FlowState): number => Math.max(...positions.map((position) => position.enteredAt));
