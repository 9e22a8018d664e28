/** An order flow as data: states, actions, edges (docs/contract.md#flow). A graph never changes once published. */
import type { FieldType, Tables } from '../expressions/types.ts';
import type { PublicStatus } from './status.ts';

/** What a buyer is shown of a waiting state. */
export const STEP_TYPES = ['BUYER_ACTION', 'SELLER_PROCESSING', 'IN_DELIVERY', 'DELIVERED', 'COMPLETED', 'CANCELED'] as const;
export type StepType = (typeof STEP_TYPES)[number];
export const PERMISSIONS = [
  'buyerCancel',
  'cancelRequest',
  'returnRequest',
  'exchangeRequest',
  'sellerForcedCancel',
  'sellerCancelHoldRefund',
] as const;
export type PermissionKey = (typeof PERMISSIONS)[number];
/** The statuses of waiting states; the others are those of ends and of claims. */
export const WAITING_STATUSES = ['PAID', 'CONFIRMED', 'DISPATCHED', 'DELIVERED'] as const satisfies readonly PublicStatus[];
export type WaitingStatus = (typeof WAITING_STATUSES)[number];

/**
 * A timer of a state, by exactly one of: a fixed ISO 8601 duration, the time that an expression gives, days from the store's settings (0
 * switches it off). A hidden one is not shown to buyers. `ifPast`: what a time that is past at the entry does; `fire` where it is absent.
 */
export interface Deadline {
  readonly key: string;
  readonly after?: string;
  readonly at?: string;
  readonly setting?: 'autoDeliverDays' | 'autoConfirmDays';
  readonly hidden?: boolean;
  readonly ifPast?: 'fire' | 'skip';
}

/** `percent`: 0..100, fractions allowed. Won. */
export type Fee =
  | { readonly type: 'none' }
  | { readonly type: 'flat'; readonly amount: number }
  | { readonly type: 'ratio'; readonly percent: number };
/**
 * Until when a claim is accepted (a duration after the entry, or a time), and what is deducted from its refund (a fee, or an expression).
 */
export interface Permission {
  readonly within?: string;
  readonly until?: string;
  readonly fee?: Fee;
  readonly deduct?: number | string;
}
export type Permissions = Readonly<Partial<Record<PermissionKey, true | Permission>>>;

/** How many files are handed over at the entry of a state. */
export interface Attachments {
  readonly min: number;
  readonly max: number;
  readonly label?: string;
}
export interface StateNode {
  readonly id: string;
  readonly type: 'state';
  readonly status: WaitingStatus;
  readonly step: StepType;
  readonly label: string;
  /** For the buyer, with `{{path}}` placeholders. */
  readonly message?: string;
  readonly deadlines?: readonly Deadline[];
  readonly attachments?: Attachments;
  readonly permissions?: Permissions;
}
export interface EndNode {
  readonly id: string;
  readonly type: 'end';
  readonly outcome: 'COMPLETED' | 'CANCELED';
  readonly label: string;
}
/** Runs its branches side by side, until each has reached the join; `deadline` drops them and takes `timeout`. */
export interface ParallelNode {
  readonly id: string;
  readonly type: 'parallel';
  readonly label?: string;
  readonly branches: readonly { readonly key: string; readonly start: string; readonly label?: string }[];
  readonly join: string;
  readonly deadline?: string;
}
export interface JoinNode {
  readonly id: string;
  readonly type: 'join';
  readonly label?: string;
}
/** Runs another flow; `flow` is its key, in a published version `key@version`. */
export interface CallNode {
  readonly id: string;
  readonly type: 'call';
  readonly label?: string;
  readonly flow: string;
  readonly deadline?: string;
}
/** Asks an external service once: `secret` names its stored connection. */
export interface ExternalNode {
  readonly id: string;
  readonly type: 'external';
  readonly label?: string;
  readonly status: WaitingStatus;
  readonly secret: string;
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  /** Templates; one that is a single placeholder sends the value itself. */
  readonly body?: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
  /** The data block that a JSON answer becomes. */
  readonly saveAs?: string;
}
export type Node = StateNode | EndNode | ParallelNode | JoinNode | CallNode | ExternalNode;

/** The types of input fields. */
export const FIELD_TYPES = [
  'text',
  'textarea',
  'number',
  'select',
  'radio',
  'checkbox',
  'boolean',
  'date',
  'datetime',
  'image',
] as const satisfies readonly FieldType[];
/** A field of an action's form. */
export interface InputField {
  readonly key: string;
  readonly type: FieldType;
  readonly label: string;
  readonly required?: boolean;
  /** Code points. */
  readonly maxLength?: number;
  /** Of built-in fields only (F21): graphs declare none. */
  readonly pattern?: string;
  readonly min?: number;
  readonly max?: number;
  readonly maxFiles?: number;
  readonly options?: readonly (string | { readonly value: string; readonly label: string })[];
  /** It is sent only where an earlier field of the form has one of these values. */
  readonly when?: { readonly key: string; readonly in: readonly (string | number | boolean)[] };
}
export const PLATFORM_ACTIONS = ['confirm', 'dispatch', 'delivered', 'fulfill', 'decide', 'extend'] as const;
export type PlatformAction = (typeof PLATFORM_ACTIONS)[number];
export interface Action {
  readonly key: string;
  readonly by: 'seller' | 'buyer';
  readonly label: string;
  readonly mode?: 'button' | 'form';
  /** The order-item endpoint that this action is (docs/contract.md#flow). */
  readonly platform?: PlatformAction;
  readonly input?: readonly InputField[];
  /** Over the whole run. */
  readonly maxUses?: number;
}

export const RESULTS = ['success', 'skipped', 'failed', 'completed', 'canceled', 'joined', 'timeout'] as const;
export type Result = (typeof RESULTS)[number];
export type Trigger =
  | { readonly type: 'seller.action' | 'buyer.action'; readonly key: string }
  | { readonly type: 'event'; readonly name: string }
  | { readonly type: 'elapsed'; readonly deadline: string }
  | { readonly type: 'result'; readonly value: Result };

/** What taking an edge does besides the change of state. */
export type Execution =
  | { readonly type: 'tracking.start' | 'tracking.stop' | 'stock.capture' | 'stock.restore' | 'fulfillment.record' }
  | { readonly type: 'refund'; readonly deduct?: number | string }
  | { readonly type: 'notify'; readonly name: string; readonly to: 'buyer' | 'seller'; readonly message: string }
  | { readonly type: 'deadline.extend'; readonly deadline: string; readonly by: string };

export interface Edge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly on: Trigger;
  /** A condition, judged when the edge would be taken; the first edge of a trigger whose condition holds is. */
  readonly when?: string;
  /** An internal transition: the state is neither left nor entered, and its deadlines go on. */
  readonly internal?: boolean;
  readonly run?: readonly Execution[];
}
export type Progression = 'ITEM' | 'ORDER_GROUP';
export type GroupClaim = 'PAUSE' | 'CONTINUE';
export interface Graph {
  readonly schema: 1;
  readonly start: string;
  readonly requires?: { readonly progression?: Progression; readonly groupClaim?: GroupClaim };
  readonly tables?: Tables;
  readonly states: readonly Node[];
  readonly actions: readonly Action[];
  readonly edges: readonly Edge[];
}
/** A published flow: its graph under '', and those that it calls under `key@version`. */
export type Bundle = Readonly<Record<string, Graph>>;
