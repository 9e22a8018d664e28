/**
 * The messages between API, runs and activities, typed from end to end: each workflow type declares its commands, its calls and their
 * outcomes in `domain/<feature>/messages.ts`. Ids, amounts, enumerations and times only: nothing personal.
 */
import type { CallOf, ContentOf, OutcomeOf, PlanOf } from '../../domain/kernel/messages.ts';
import type { InvitationMessages } from '../../domain/invitations/messages.ts';
import type { OrderItemMessages } from '../../domain/orders/messages.ts';
import type { PaymentMessages } from '../../domain/payments/messages.ts';
import type { WebhookDeliveryMessages, WebhookSubscriptionMessages } from '../../domain/webhooks/messages.ts';

/** The workflow types; each has a row, a line in `run`, one transition and one function in `workflows/`. */
export interface Messages {
  readonly orderItem: OrderItemMessages;
  readonly payment: PaymentMessages;
  readonly webhookDelivery: WebhookDeliveryMessages;
  readonly webhookSubscription: WebhookSubscriptionMessages;
  readonly invitation: InvitationMessages;
}
export type WorkflowType = keyof Messages;

/** The update that carries a command, and the signals, as every run takes them. */
export const COMMAND_UPDATE = 'command';
export const CLOCK_SIGNAL = 'clock';
export const WAKE_SIGNAL = 'wake';

/** By the item's number, because people look for it (D69). */
export const orderItemWorkflowId = (storeId: string, orderItemNo: string): string => `order-item/${storeId}/${orderItemNo}`;
export const paymentWorkflowId = (storeId: string, paymentId: string): string => `payment/${storeId}/${paymentId}`;
export const webhookWorkflowId = (storeId: string, deliveryId: string): string => `webhook/${storeId}/${deliveryId}`;
export const subscriptionWorkflowId = (storeId: string, webhookId: string): string => `webhook-subscription/${storeId}/${webhookId}`;
export const invitationWorkflowId = (storeId: string, invitationId: string): string => `invitation/${storeId}/${invitationId}`;

/** The activity that runs the transition of a workflow type: `transitionPayment`. */
export type TransitionName<T extends WorkflowType = WorkflowType> = `transition${Capitalize<T>}`;
export const transitionName = <T extends WorkflowType>(type: T): TransitionName<T> =>
  `transition${type.charAt(0).toUpperCase()}${type.slice(1)}` as TransitionName<T>;

/**
 * A run: the store and the id of the row that it owns. `clock` only after continue-as-new. `firstAt`: the business time at which it
 * first has something to do; only at its start, for types whose first plan follows from it alone.
 */
export interface RunRef {
  readonly storeId: string;
  readonly entityId: string;
  readonly clock?: number;
  readonly firstAt?: number;
}

export type CallName<T extends WorkflowType = WorkflowType> = T extends WorkflowType ? keyof Messages[T]['calls'] & string : never;
export type Call<T extends WorkflowType = WorkflowType, N extends CallName<T> = CallName<T>> = T extends WorkflowType
  ? CallOf<Messages[T]['calls'], Extract<N, keyof Messages[T]['calls'] & string>>
  : never;
export type Outcome<T extends WorkflowType = WorkflowType, N extends CallName<T> = CallName<T>> = T extends WorkflowType
  ? OutcomeOf<Messages[T]['calls'], Extract<N, keyof Messages[T]['calls'] & string>>
  : never;

/** What an activity answers: the outcome, and the plan since where the call has made the run's transition itself, in one transaction. */
export type Answer<T extends WorkflowType = WorkflowType, N extends CallName<T> = CallName<T>> = Outcome<T, N> & {
  readonly plan?: Plan<T>;
};
/** The activities that make the calls of a workflow type. */
export type Calls<T extends WorkflowType> = { readonly [N in CallName<T>]: (call: Call<T, N>) => Promise<Answer<T, N>> };

/** What a run does next, as its transition decided, and the store's clock offset in milliseconds: 0 outside sandboxes. */
export interface Plan<T extends WorkflowType = WorkflowType> extends PlanOf<Call<T>> {
  readonly clock: number;
}

/** What a command asks for: its name and what it says. */
export type CommandContent<T extends WorkflowType = WorkflowType> = T extends WorkflowType ? ContentOf<Messages[T]['commands']> : never;

/** A change of a row which a run owns (docs/architecture.md#commands). */
export type Command<T extends WorkflowType = WorkflowType> = CommandContent<T> & CommandEnvelope;
export interface CommandEnvelope {
  readonly operation: { readonly principal: string; readonly key: string; readonly id: string; readonly fingerprint: string };
  readonly requestId: string;
  readonly actor: string;
  /** The store's clock offset as the API knows it: a run that this command starts has not heard of it yet. */
  readonly clock: number;
  /** Real time; a command that reaches its transition later is refused. */
  readonly notAfter: number;
  /** `idle` also waits until no call is in flight. */
  readonly wait?: 'committed' | 'idle';
}

export type RunEvent<T extends WorkflowType = WorkflowType> =
  | { readonly type: 'load' }
  | { readonly type: 'elapsed' }
  | { readonly type: 'command'; readonly command: Command<T> }
  | { readonly type: 'outcome'; readonly callId: string; readonly outcome: Outcome<T> };
