/** The transition of each workflow type: made by its activity, and by a dry run of a request that sends it a command. */
import type { WorkflowType } from '../workflows/kernel/messages.ts';
import { transitionApprovalNotice } from './approvals/noticeTransition.ts';
import { transitionApproval } from './approvals/transition.ts';
import { transitionClaim } from './claims/transition.ts';
import { transitionInvitation } from './invitations/transition.ts';
import type { Config } from './kernel/config.ts';
import type { Keyring } from './kernel/keyring.ts';
import { transitionOrderGroup } from './orders/groupTransition.ts';
import { transitionOrderItem } from './orders/transition.ts';
import { transitionPurchase } from './purchases.ts';
import type { RunTransition, Transition } from './runs/transition.ts';
import { transitionWebhookSubscription } from './webhooks/subscription.ts';
import { transitionWebhookDelivery } from './webhooks/transition.ts';

interface Deps {
  readonly keyring: Keyring;
  readonly config: Config;
}
const TRANSITIONS: { readonly [T in WorkflowType]: (deps: Deps) => Transition<T> } = {
  orderItem: () => transitionOrderItem,
  orderGroup: () => transitionOrderGroup,
  claim: () => transitionClaim,
  payment: () => transitionPurchase,
  webhookDelivery: () => transitionWebhookDelivery,
  webhookSubscription: () => transitionWebhookSubscription,
  invitation:
    ({ keyring }) =>
    (tx, run, event) =>
      transitionInvitation(tx, keyring, run, event),
  approval:
    ({ config }) =>
    (tx, run, event) =>
      transitionApproval(tx, config.mail.consoleUrl, run, event),
  approvalNotice: () => transitionApprovalNotice,
};

export const runTransition = <T extends WorkflowType>(workflowType: T, deps: Deps): RunTransition<T> => ({
  workflowType,
  transition: TRANSITIONS[workflowType](deps),
});
