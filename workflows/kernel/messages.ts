/**
 * The messages between API, runs and activities, typed from end to end: each workflow type declares its commands, its calls and their
 * outcomes in `domain/<feature>/machine.ts`, or in `messages.ts` beside it where they fill a page. Ids, amounts, enumerations and times
 * only: nothing personal.
 */
import type { BriefName, CallOf, ContentOf, OutcomeOf, PlanOf } from '../../domain/kernel/messages.ts';
import type { ActorRef } from '../../domain/identity/actors.ts';
import type { ApprovalMessages } from '../../domain/approvals/machine.ts';
import type { ApprovalNoticeMessages } from '../../domain/approvals/notice.ts';
import type { ClaimMessages } from '../../domain/claims/machine.ts';
import type { InvitationMessages } from '../../domain/invitations/machine.ts';
import type { OrderGroupMessages, OrderItemMessages } from '../../domain/orders/messages.ts';
import type { PaymentMessages } from '../../domain/payments/messages.ts';
import type { WebhookDeliveryMessages, WebhookSubscriptionMessages } from '../../domain/webhooks/machine.ts';
import { DELIVERIES_QUEUE, RUNS_QUEUE } from './queues.ts';

/**
 * The workflow types; each has an entity, a row in `run`, one transition and one function in `workflows/`. The compiler demands the rest
 * from here: its entry in `WORKFLOWS`, its function, its transition, its activities, its text in support's `explain`, its diagram, its
 * histories and its drills.
 */
export interface Messages {
  readonly orderItem: OrderItemMessages;
  readonly orderGroup: OrderGroupMessages;
  readonly claim: ClaimMessages;
  readonly payment: PaymentMessages;
  readonly webhookDelivery: WebhookDeliveryMessages;
  readonly webhookSubscription: WebhookSubscriptionMessages;
  readonly invitation: InvitationMessages;
  readonly approval: ApprovalMessages;
  readonly approvalNotice: ApprovalNoticeMessages;
}
export type WorkflowType = keyof Messages;

/** How Temporal runs a workflow type. */
export interface WorkflowProperties {
  /** The prefix of its workflow ids: `payment/<storeId>/<paymentId>`. */
  readonly idPrefix: string;
  /** Temporal's task priority: tasks of a lower number go first when workers are busy. */
  readonly priority: number;
  /** The task queue of its workflows and transitions. */
  readonly queue: typeof RUNS_QUEUE | typeof DELIVERIES_QUEUE;
  /** The task queue of its calls, so that a slow provider delays nothing else; null: that of its workflows, or it makes no calls. */
  readonly callsQueue: string | null;
  /** Calls that have a task queue of their own, by name. */
  readonly ownQueues?: Readonly<Record<string, string>>;
}
/** Of external services of stores' flows: they are slow as they like, and hold up no courier. */
const EXTERNAL_QUEUE = 'external-calls';
export const WORKFLOWS: Readonly<Record<WorkflowType, WorkflowProperties>> = {
  // A buyer waits for it.
  payment: { idPrefix: 'payment', priority: 1, queue: RUNS_QUEUE, callsQueue: 'payment-calls' },
  // A seller waits for it.
  orderItem: {
    idPrefix: 'order-item',
    priority: 2,
    queue: RUNS_QUEUE,
    callsQueue: 'courier-calls',
    ownQueues: { askExternal: EXTERNAL_QUEUE },
  },
  // Calls that were begun before those had a task queue of their own are on that of couriers.
  orderGroup: {
    idPrefix: 'order-group',
    priority: 2,
    queue: RUNS_QUEUE,
    callsQueue: 'courier-calls',
    ownQueues: { askExternal: EXTERNAL_QUEUE },
  },
  // A seller or a buyer waits for it.
  claim: { idPrefix: 'claim', priority: 2, queue: RUNS_QUEUE, callsQueue: null },
  invitation: { idPrefix: 'invitation', priority: 3, queue: RUNS_QUEUE, callsQueue: 'mail' },
  // Somebody waits for what they have just approved.
  approval: { idPrefix: 'approval', priority: 2, queue: RUNS_QUEUE, callsQueue: 'executions' },
  approvalNotice: { idPrefix: 'approval-notice', priority: 3, queue: RUNS_QUEUE, callsQueue: 'mail' },
  // Nobody waits for webhooks.
  webhookDelivery: { idPrefix: 'webhook', priority: 4, queue: DELIVERIES_QUEUE, callsQueue: null },
  webhookSubscription: { idPrefix: 'webhook-subscription', priority: 5, queue: RUNS_QUEUE, callsQueue: null },
};
export const WORKFLOW_TYPES = Object.keys(WORKFLOWS) as readonly WorkflowType[];

/** The identity of a run in Postgres, in the outbox and in Temporal. */
export interface RunIds<T extends WorkflowType = WorkflowType> {
  readonly storeId: string;
  readonly workflowType: T;
  readonly workflowId: string;
  readonly entityId: string;
  readonly orderNo: string | null;
}
/** `key`: the entity id; for an order item its number, because people search by it (D69). */
export const workflowIdOf = (type: WorkflowType, storeId: string, key: string): string => `${WORKFLOWS[type].idPrefix}/${storeId}/${key}`;
/** The run of an entity whose id is part of the workflow id. */
export const runOf = <T extends WorkflowType>(
  workflowType: T,
  storeId: string,
  entityId: string,
  orderNo: string | null = null,
): RunIds<T> => ({
  storeId,
  workflowType,
  workflowId: workflowIdOf(workflowType, storeId, entityId),
  entityId,
  orderNo,
});
/** The run of an order item. The first 14 digits of its number are the order number. */
export const orderItemRun = (item: {
  readonly storeId: string;
  readonly orderItemId: string;
  readonly orderItemNo: string;
}): RunIds<'orderItem'> => ({
  ...runOf('orderItem', item.storeId, item.orderItemId, item.orderItemNo.slice(0, 14)),
  workflowId: workflowIdOf('orderItem', item.storeId, item.orderItemNo),
});

/** The run of the items of an order that move together in one flow. */
export const orderGroupRun = (item: {
  readonly storeId: string;
  readonly groupId: string;
  readonly orderItemNo: string;
  readonly flowKey: string;
}): RunIds<'orderGroup'> => {
  const orderNo = item.orderItemNo.slice(0, 14);
  return {
    ...runOf('orderGroup', item.storeId, item.groupId, orderNo),
    workflowId: workflowIdOf('orderGroup', item.storeId, `${orderNo}/${item.flowKey}`),
  };
};

/** The names of the update and the signals that every run handles. */
export const COMMAND_UPDATE = 'command';
export const CLOCK_SIGNAL = 'clock';
export const WAKE_SIGNAL = 'wake';

/** The activity that runs the transition of a workflow type: `transitionPayment`. */
export type TransitionName<T extends WorkflowType = WorkflowType> = `transition${Capitalize<T>}`;
export const transitionName = <T extends WorkflowType>(type: T): TransitionName<T> =>
  `transition${type.charAt(0).toUpperCase()}${type.slice(1)}` as TransitionName<T>;

/**
 * The input of a workflow and of its transitions: the store and the id of the row that it owns. `clock`: the clock offset that the run
 * knows; of a workflow only after continue-as-new. `firstAt`: the business time of its first plan, only at its start and for types whose
 * first plan needs nothing else.
 */
export interface RunRef {
  readonly storeId: string;
  readonly entityId: string;
  readonly clock?: number;
  readonly firstAt?: number;
  /** With `firstAt`: the call of the first plan is made briefly. Runs of before, and those that are started again, have it not. */
  readonly isBrief?: true;
}

export type CallName<T extends WorkflowType = WorkflowType> = T extends WorkflowType ? keyof Messages[T]['calls'] & string : never;
export type Call<T extends WorkflowType = WorkflowType, N extends CallName<T> = CallName<T>> = T extends WorkflowType
  ? CallOf<Messages[T]['calls'], Extract<N, keyof Messages[T]['calls'] & string>>
  : never;
export type Outcome<T extends WorkflowType = WorkflowType, N extends CallName<T> = CallName<T>> = T extends WorkflowType
  ? OutcomeOf<Messages[T]['calls'], Extract<N, keyof Messages[T]['calls'] & string>>
  : never;

/** The result of a call's activity: the outcome, and the new plan where the activity made the run's transition in the same transaction. */
export type Answer<T extends WorkflowType = WorkflowType, N extends CallName<T> = CallName<T>> = Outcome<T, N> & {
  readonly plan?: Plan<T>;
};
/** The activities that make the calls of a workflow type. */
export type Calls<T extends WorkflowType> = { readonly [N in CallName<T>]: (call: Call<T, N>) => Promise<Answer<T, N>> };

/** A brief call is first made as a local activity of this time at most, unless its workflow says another (`briefMs`). */
export const BRIEF_MS = 3000;
export type BriefCallName<T extends WorkflowType = WorkflowType> = T extends WorkflowType ? BriefName<Messages[T]['calls']> : never;
/**
 * The local activities that make the brief calls of a workflow type and end well before their time. Null: the ordinary activity answers.
 */
export type BriefCalls<T extends WorkflowType> = { readonly [N in BriefCallName<T>]: (call: Call<T, N>) => Promise<Answer<T, N> | null> };

/** What a run does next, as its transition decided, and the store's clock offset in milliseconds: 0 outside sandboxes. */
export interface Plan<T extends WorkflowType = WorkflowType> extends PlanOf<Call<T>> {
  readonly clock: number;
}

/** A command without its envelope: name and input. */
export type CommandContent<T extends WorkflowType = WorkflowType> = T extends WorkflowType ? ContentOf<Messages[T]['commands']> : never;

/** A change of a row which a run owns (docs/architecture.md#commands). */
export type Command<T extends WorkflowType = WorkflowType> = CommandContent<T> & CommandEnvelope;
export interface CommandEnvelope {
  readonly operation: { readonly principal: string; readonly key: string; readonly id: string; readonly fingerprint: string };
  readonly requestId: string;
  readonly actor: string;
  /** Of the change, for the audit log; absent: SYSTEM. */
  readonly origin?: CommandOrigin;
  /** The store's clock offset in milliseconds: a run that this command starts does not know it yet. */
  readonly clock: number;
  /** Real time; a command whose transition begins later is refused with TEMPORARILY_UNAVAILABLE. */
  readonly notAfter: number;
  /** An agent's command: whether the plan's limit of AI actions applies to it. */
  readonly aiActions?: 'limited' | 'always';
  /** An agent's bulk, which is one action: counted by the first of its commands that is carried out, under this idempotency key. */
  readonly bulkAction?: { readonly counting: 'limited' | 'always'; readonly key: string };
  /** One of several commands of a request, whose answer does not show what each did. */
  readonly isPart?: boolean;
  /** Of an approved request: the digest of what its dry run did; a transition that does anything else is refused with APPROVAL_STALE. */
  readonly expects?: string;
  /** When the update completes: after the commit, or (`idle`) once no call is in flight either. */
  readonly wait?: 'committed' | 'idle';
}

/** Who sent a command, by which request: ids and enumerations. */
export interface CommandOrigin {
  /** Null: SYSTEM. */
  readonly actor: ActorRef | null;
  /** What the client typed, an agent's own name and the idempotency key: sealed, so that nobody reads it here (X24). */
  readonly sealed?: string;
  /** The management request that the transition records; absent: it is recorded elsewhere, or not at all. */
  readonly request?: CommandRequest;
  readonly requestId: string | null;
  readonly approvalId: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/** A management request, as the audit log names it. */
export interface CommandRequest {
  /** The operationId. */
  readonly action: string;
  readonly target: { readonly type: string; readonly id: string | null } | null;
  readonly statusCode: number;
  readonly traceId: string | null;
  /** Its request is made of several commands, which share its record. */
  readonly isPart: boolean;
}

/** The result of the update: the run's status after it. The reply to the caller stays in Postgres. */
export interface CommandResult {
  readonly status: string;
}

export type RunEvent<T extends WorkflowType = WorkflowType> =
  | { readonly type: 'load' }
  | { readonly type: 'elapsed' }
  | { readonly type: 'command'; readonly command: Command<T> }
  | { readonly type: 'outcome'; readonly callId: string; readonly outcome: Outcome<T> };
