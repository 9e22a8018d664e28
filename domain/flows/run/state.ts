/** The state of one flow, as it is stored. It has one member (`ITEM`) or many (`ORDER_GROUP`). */
import type { Scope } from '../expressions/types.ts';
import type { PlatformFields } from '../graph/forms.ts';
import type { Execution } from '../graph/graph.ts';
import type { PublicStatus } from '../graph/status.ts';

export interface Due {
  readonly key: string;
  /** When it falls due; null while a claim pauses it. */
  readonly at: number | null;
  /** Remaining milliseconds at the time it was paused. */
  readonly left?: number;
}
/** A place in a graph. The first one is that of the main graph; branches and subflows have others below it. */
export interface Position {
  readonly id: string;
  readonly node: string;
  readonly enteredAt: number;
  readonly due: readonly Due[];
  /** The graph in the flow's bundle; absent: the main one. */
  readonly flow?: string;
  /** The position of the parallel or call node that it belongs to, and which branch it is. */
  readonly parent?: string;
  readonly branch?: string;
  /** Absent: that of its node. */
  readonly status?: PublicStatus;
  /** A subflow never lowers the public status below this (F35). */
  readonly floor?: PublicStatus;
  /** It waits in the join for the other branches. */
  readonly arrived?: true;
  /** The call of an external node that is awaited: an answer to another one is late. */
  readonly call?: string;
  /** Its answer has come, and waits for its turn. */
  readonly answeredAt?: number;
  /** Addresses with which its node was entered. */
  readonly attachments?: readonly string[];
}
export interface Member {
  readonly id: string;
  readonly activeQuantity: number;
  /** Where it stands still because of its claim, while the others of its group go on (CONTINUE). */
  readonly standsAt?: { readonly node: string; readonly label: string; readonly status: PublicStatus };
  /** It was refunded on the way: nothing pays for it again (F40). */
  readonly settled?: true;
  /** Its stock was given back on the way. */
  readonly restored?: true;
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
  /** How often each limited action was used, over the whole run. */
  readonly uses?: Readonly<Record<string, number>>;
  /** Accepted input by key, of sellers and buyers; `buyerKeys`: those that buyers sent. */
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly buyerKeys?: readonly string[];
  /** Data blocks of events and external services. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Oldest first, the newest 50. */
  readonly earlierAttachments?: readonly string[];
  /** When deadlines that were past at the entry of their state fired last, by the state: those of the last minute. */
  readonly firedAtEntry?: Readonly<Record<string, number>>;
  /** When it moved by itself: the last day's, oldest first, at most 500. Only the group's own state has those of a group. */
  readonly moves?: readonly number[];
  /** The next move has no room before: its record is written. */
  readonly slowedUntil?: number;
}

/** What takes units of an item away. */
export type ReduceCause = 'SELLER_CANCEL' | 'CLAIM_CANCEL' | 'CLAIM_RETURN' | 'CLAIM_EXCHANGE';

/** `member`: who acts, in a group; absent: the only one. */
export type FlowEvent =
  | { readonly type: 'start'; readonly members: readonly Member[] }
  | {
      readonly type: 'seller.action' | 'buyer.action';
      readonly key: string;
      readonly member?: string;
      readonly input?: Readonly<Record<string, unknown>>;
      readonly attachments?: readonly string[];
      /** It comes through the built-in endpoint, which checks the endpoint's own fields. */
      readonly isPlatform?: true;
    }
  | { readonly type: 'event'; readonly name: string; readonly member?: string; readonly data?: Readonly<Record<string, unknown>> }
  | { readonly type: 'elapsed' }
  /** What is due has no room before `until`. */
  | { readonly type: 'SLOWED'; readonly until: number }
  /** The answer of an external service to the call `call`. */
  | {
      readonly type: 'result';
      readonly call: string;
      readonly value: 'success' | 'skipped' | 'failed';
      readonly data?: Readonly<Record<string, unknown>>;
    }
  | { readonly type: 'claim.opened'; readonly claimId: string; readonly member: string }
  | { readonly type: 'claim.closed'; readonly claimId: string }
  /** A cancel, return or exchange took `quantity` units of a member away; a member without units is removed. */
  | { readonly type: 'reduced'; readonly member: string; readonly quantity: number; readonly cause: ReduceCause; readonly refId: string }
  | { readonly type: 'move'; readonly to: string; readonly member?: string };

/** Input of a step besides the state. Everything but the settings may be absent for flows without expressions and forms. */
export interface Facts {
  readonly settings: { readonly autoDeliverDays: number; readonly autoConfirmDays: number };
  /** Korean days. */
  readonly holidays?: ReadonlySet<string>;
  /** By member; its `quantity` is what was bought. */
  readonly items?: Readonly<Record<string, Omit<Scope['item'], 'activeQuantity'>>>;
  readonly order?: Scope['order'];
  /** What a refund of all that remains of a member would give back, in won: the product share without delivery. */
  readonly refundableWon?: Readonly<Record<string, number>>;
  /** The fields of built-in actions. */
  readonly platformFields?: PlatformFields;
  /** Those of the addresses which the event names that are uploads of this store. */
  readonly uploads?: ReadonlySet<string>;
  /** The members of a group that are shipped; absent: all of them may be handed over alike. */
  readonly shipped?: ReadonlySet<string>;
  /** It happened already: what was taken then is not measured by today's bounds. */
  readonly isReplay?: true;
}

type At = { readonly at: number };
/** The members that an effect is about; absent in records of before groups: the item itself. */
type Of = { readonly members?: readonly string[] };
/** A member that leaves by a CANCELED end: what a refund or a restored stock on the way has done already is not done again. */
export interface CanceledMember {
  readonly id: string;
  readonly settled: boolean;
  readonly restored: boolean;
}
/** What the transaction has to do for a step. `at`: the business time at which it happened. */
export type Effect =
  /** `told`: of whom the status's event tells; absent: of all of them. */
  | ({ readonly type: 'status'; readonly from: PublicStatus; readonly to: PublicStatus; readonly told?: readonly string[] } & At & Of)
  | ({ readonly type: 'state'; readonly from: string | null; readonly to: string; readonly label: string } & At & Of)
  | ({ readonly type: 'tracking.start' | 'tracking.stop' | 'fulfillment.record' | 'stock.capture' | 'stock.restore' } & At & Of)
  /** A refund on the way: what is refundable less `deductWon`. */
  | ({ readonly type: 'refund'; readonly member: string; readonly deductWon: number } & At)
  | (Extract<Execution, { readonly type: 'notify' }> & At & Of)
  | ({ readonly type: 'deadline.extend'; readonly deadline: string; readonly by: string } & At & Of)
  /** `call` identifies the entry of the node. */
  | ({ readonly type: 'external.call'; readonly nodeId: string; readonly call: string } & At & Of)
  /** The flow ended CANCELED: what remains of each is canceled as a seller cancels it. */
  | ({ readonly type: 'cancel'; readonly leavers: readonly CanceledMember[] } & At)
  /** Something of the graph failed at run time; `code` is that of the expression's error. */
  | ({ readonly type: 'alert'; readonly nodeId: string; readonly code: string } & At);

export interface Trace {
  readonly at: number;
  readonly edges: readonly string[];
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** A problem of one input field. */
export interface InputIssue {
  readonly key: string;
  readonly name: string;
  readonly reason: 'REQUIRED' | 'INVALID' | 'TOO_LONG';
}
export type RefusalReason =
  | 'NOT_IN_STATE'
  | 'FINISHED'
  | 'CLAIM_IN_PROGRESS'
  | 'LIMIT_REACHED'
  | 'CONDITION'
  | 'ATTACHMENTS_REQUIRED'
  | 'ATTACHMENTS_INVALID'
  | 'INPUT'
  | 'NOT_A_TARGET'
  | 'BRANCH_OR_SUBFLOW'
  | 'EXTERNAL_PENDING'
  | 'INVALID_QUANTITY'
  | 'TOO_LONG'
  | 'STALE';
export type Refusal = {
  readonly ok: false;
  readonly code:
    | 'ACTION_NOT_AVAILABLE'
    | 'FLOW_ACTION_INPUT_INVALID'
    | 'FLOW_EVENT_NOT_ACCEPTED'
    | 'FLOW_MOVE_NOT_ALLOWED'
    | 'INVALID_QUANTITY'
    /** Of an event's `data`; of a step of a simulation that is too long. */
    | 'VALIDATION_FAILED'
    | 'STALE';
  readonly reason: RefusalReason;
  readonly issues?: readonly InputIssue[];
};
export type StepResult =
  | {
      readonly ok: true;
      readonly state: FlowState;
      readonly effects: readonly Effect[];
      readonly trace: readonly Trace[];
      /** What its expressions have cost, in the units of prices. */
      readonly cost: number;
    }
  | Refusal;

/** When a flow came to where it is: to its end, where it has ended. */
export const enteredAt = ({ positions }: FlowState): number => Math.max(...positions.map((position) => position.enteredAt));
