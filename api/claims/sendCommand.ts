/** Commands to claims: an early refusal, then the command to the claim's run. */
import { checkCommand, type ClaimCommand, type ClaimMessages } from '../../domain/claims/machine.ts';
import type { ErrorCode } from '../../domain/kernel/errors.ts';
import type { Claim } from '../../db/claims/entities.ts';
import { readClaim } from '../../db/claims/queries.ts';
import { claimRun, stateOf } from '../../db/claims/rows.ts';
import type { ClaimView } from '../../db/claims/views.ts';
import type { Commands } from '../declare/commands.ts';
import { type CommandRequest, createSender } from '../declare/sender.ts';

type ClaimCommandRequest = CommandRequest<ClaimMessages['commands']>;

export const CLAIM_ERRORS = ['CLAIM_NOT_FOUND', 'INVALID_STATUS'] as const satisfies readonly ErrorCode[];

interface ClaimCall {
  readonly commands: Commands;
  readonly params: { readonly claimId: string };
}
const send = createSender({
  read: readClaim,
  check: (claim, { name, input }: ClaimCommandRequest) => checkCommand(stateOf(claim), { name, input } as ClaimCommand),
  send: (commands, claim, content: ClaimCommand) => commands.send(claimRun(claim), content),
});
/** Sends the command that `commandOf` makes of the claim, and returns the stored reply. */
export const sendClaimCommand = async (call: ClaimCall, commandOf: (claim: Claim) => ClaimCommandRequest): Promise<unknown> =>
  (await send(call, call.params.claimId, commandOf)).reply.body;

/** A command whose reply is the claim as it is afterwards. */
export const sendSellerCommand = async (call: ClaimCall, command: ClaimCommandRequest): Promise<ClaimView> =>
  (await sendClaimCommand(call, () => command)) as ClaimView;
