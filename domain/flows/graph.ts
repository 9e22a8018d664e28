/** An order flow as data: states, actions, edges (docs/contract.md#flow). A graph never changes once published. */
import type { PublicStatus } from './status.ts';

export type StepType = 'BUYER_ACTION' | 'SELLER_PROCESSING' | 'IN_DELIVERY' | 'DELIVERED' | 'COMPLETED' | 'CANCELED';
export type PermissionKey =
  | 'buyerCancel'
  | 'cancelRequest'
  | 'returnRequest'
  | 'exchangeRequest'
  | 'sellerForcedCancel'
  | 'sellerCancelHoldRefund';

/** A timer of a state: a fixed ISO 8601 duration, or days from the store's settings (0 switches it off). */
export type Deadline =
  | { readonly key: string; readonly after: string }
  | { readonly key: string; readonly setting: 'autoDeliverDays' | 'autoConfirmDays' };

export interface StateNode {
  readonly id: string;
  readonly type: 'state';
  readonly status: Exclude<PublicStatus, 'PURCHASE_DECIDED' | 'CANCELED' | 'RETURNED' | 'EXCHANGED'>;
  readonly step: StepType;
  readonly label: string;
  readonly deadlines?: readonly Deadline[];
  readonly permissions?: Readonly<Partial<Record<PermissionKey, true | { readonly within: string }>>>;
}
export interface EndNode {
  readonly id: string;
  readonly type: 'end';
  readonly outcome: 'COMPLETED' | 'CANCELED';
  readonly label: string;
}
export type Node = StateNode | EndNode;

export interface Action {
  readonly key: string;
  readonly by: 'seller' | 'buyer';
  readonly label: string;
  readonly mode?: 'button' | 'form';
  /** The order-item endpoint that this action is (docs/contract.md#flow). */
  readonly platform?: 'confirm' | 'dispatch' | 'delivered' | 'fulfill' | 'decide' | 'extend';
}
export type Trigger =
  | { readonly type: 'seller.action' | 'buyer.action'; readonly key: string }
  | { readonly type: 'event'; readonly name: string }
  | { readonly type: 'elapsed'; readonly deadline: string };

/** What taking an edge does besides the change of state. */
export type Execution =
  | { readonly type: 'tracking.start' | 'tracking.stop' | 'fulfillment.record' }
  | { readonly type: 'deadline.extend'; readonly deadline: string; readonly by: string };

export interface Edge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly on: Trigger;
  /** An internal transition: the state is neither left nor entered, and its deadlines go on. */
  readonly internal?: boolean;
  readonly run?: readonly Execution[];
}
export interface Graph {
  readonly schema: 1;
  readonly start: string;
  readonly states: readonly Node[];
  readonly actions: readonly Action[];
  readonly edges: readonly Edge[];
}
