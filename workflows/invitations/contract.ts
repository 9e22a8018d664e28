/** Names and messages of an invitation's run. */
import type { Call, Outcome } from '../kernel/messages.ts';

export const invitationWorkflowId = (storeId: string, invitationId: string): string => `invitation/${storeId}/${invitationId}`;

/** The one call: sends the mail of send `sendNo`. SENT, REFUSED (for good) or UNSENT (try again), with a code. */
export interface InvitationCalls {
  sendInvitation(call: Call): Promise<Outcome>;
}
