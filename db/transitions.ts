/** The transitions of the workflow types whose runs take commands of the management API: carried out by activities, and by a dry run. */
import type { WorkflowType } from '../workflows/kernel/messages.ts';
import { transitionApproval } from './approvals/transition.ts';
import { transitionClaim } from './claims/transition.ts';
import { transitionInvitation } from './invitations/transition.ts';
import type { Config } from './kernel/config.ts';
import type { Keyring } from './kernel/keyring.ts';
import { transitionOrderGroup } from './orders/groupTransition.ts';
import { transitionOrderItem } from './orders/transition.ts';
import type { RunTransition } from './runs/transition.ts';

export const orderItemTransition: RunTransition<'orderItem'> = { workflowType: 'orderItem', transition: transitionOrderItem };

export const orderGroupTransition: RunTransition<'orderGroup'> = { workflowType: 'orderGroup', transition: transitionOrderGroup };

export const claimTransition: RunTransition<'claim'> = { workflowType: 'claim', transition: transitionClaim };

export const invitationTransition = ({ keyring }: { readonly keyring: Keyring }): RunTransition<'invitation'> => ({
  workflowType: 'invitation',
  transition: (tx, run, event) => transitionInvitation(tx, keyring, run, event),
});

export const approvalTransition = ({ config }: { readonly config: Config }): RunTransition<'approval'> => ({
  workflowType: 'approval',
  transition: (tx, run, event) => transitionApproval(tx, config.mail.consoleUrl, run, event),
});

/** Null: no request of the management API sends it commands. */
export function managedTransition(
  type: WorkflowType,
  deps: { readonly keyring: Keyring; readonly config: Config },
): RunTransition<never> | null {
  if (type === 'orderItem') return orderItemTransition as unknown as RunTransition<never>;
  if (type === 'orderGroup') return orderGroupTransition as unknown as RunTransition<never>;
  if (type === 'claim') return claimTransition as unknown as RunTransition<never>;
  if (type === 'invitation') return invitationTransition(deps) as unknown as RunTransition<never>;
  if (type === 'approval') return approvalTransition(deps) as unknown as RunTransition<never>;
  return null;
}
