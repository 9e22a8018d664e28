/** What an invitation's run is told, whom it asks, and what comes back. */

export interface InvitationMessages {
  readonly commands: {
    readonly resend: { readonly userId: string };
    readonly cancel: { readonly userId: string };
    /** `sendNo` names the link that was followed: a later one has made it dead. */
    readonly accept: { readonly userId: string; readonly sendNo: number };
  };
  readonly calls: {
    /** Sends the mail of link `sendNo`: SENT, REFUSED (for good) or UNSENT (try again), with a code. */
    readonly sendInvitation: {
      readonly input: { readonly invitationId: string; readonly sendNo: number; readonly attempt: number };
      readonly outcome: { readonly result: 'SENT' | 'REFUSED' | 'UNSENT'; readonly code?: string };
    };
  };
}
