/** The state of one flow run, as it is stored. One run has one member (`ITEM`) or many (`ORDER_GROUP`). */
import type { PublicStatus } from './status.ts';

export interface Due {
  readonly key: string;
  /** When it falls due; null while a claim pauses it. */
  readonly at: number | null;
  /** What was left when it was paused, in milliseconds. */
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
  /** Counts the steps taken; `runId:seq.index` names an effect for ever. */
  readonly seq: number;
  readonly members: readonly Member[];
  readonly claims: readonly { readonly id: string; readonly member: string }[];
  readonly status: PublicStatus;
  readonly positions: readonly Position[];
  readonly done?: 'COMPLETED' | 'CANCELED';
}

export type FlowEvent =
  | { readonly type: 'start'; readonly members: readonly Member[] }
  | { readonly type: 'seller.action' | 'buyer.action'; readonly key: string }
  | { readonly type: 'event'; readonly name: string }
  | { readonly type: 'elapsed' }
  | { readonly type: 'claim.opened'; readonly claimId: string; readonly member: string }
  | { readonly type: 'claim.closed'; readonly claimId: string }
  /** A cancel, return or exchange took `quantity` of a member away; at 0 the member leaves. */
  | { readonly type: 'reduced'; readonly member: string; readonly quantity: number; readonly cause: string; readonly refId: string };

/** What the flow may read besides its own state, frozen with each step. */
export interface Facts {
  readonly settings: { readonly autoDeliverDays: number; readonly autoConfirmDays: number };
}

/** What a step asks the transaction to do. `at` is the business time at which it happened. */
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
