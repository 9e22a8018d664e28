/** Commands to claims: an early refusal, then the command to the claim's run. */
import { checkCommand, type ClaimCommand, type ClaimMessages } from '../../domain/claims/machine.ts';
import type { ErrorCode } from '../../domain/kernel/errors.ts';
import type { Claim } from '../../db/claims/entities.ts';
import { readClaim } from '../../db/claims/queries.ts';
import { claimRun, stateOf } from '../../db/claims/rows.ts';
import type { ClaimView } from '../../db/claims/views.ts';
import type { Commands } from '../declare/commands.ts';

type Inputs = ClaimMessages['commands'];
/** `text`: what a person typed. It is stored in Postgres and never passes through Temporal (X24); `field` gets its id. */
type ClaimCommandRequest = {
  readonly [N in keyof Inputs]: {
    readonly name: N;
    readonly input: Inputs[N];
    readonly text?: { readonly field: Extract<keyof Inputs[N], `${string}Id`>; readonly value: string };
  };
}[keyof Inputs];

export const CLAIM_ERRORS = ['CLAIM_NOT_FOUND', 'INVALID_STATUS'] as const satisfies readonly ErrorCode[];

interface ClaimCall {
  readonly commands: Commands;
  readonly params: { readonly claimId: string };
}
/** Sends the command that `commandOf` makes of the claim, and returns the stored reply. */
export async function sendClaimCommand(
  { commands, params }: ClaimCall,
  commandOf: (claim: Claim) => ClaimCommandRequest,
): Promise<unknown> {
  const claim = await commands.read((tx) => readClaim(tx, params.claimId));
  const { name, input, text } = commandOf(claim);
  const command = { name, input } as ClaimCommand;
  checkCommand(stateOf(claim), command);
  const textIds = text ? { [text.field]: await commands.storeText(text.value) } : {};
  return (await commands.send(claimRun(claim), { ...command, input: { ...input, ...textIds } } as ClaimCommand)).body;
}

/** A command whose reply is the claim as it is afterwards. */
export const sendSellerCommand = async (call: ClaimCall, command: ClaimCommandRequest): Promise<ClaimView> =>
  (await sendClaimCommand(call, () => command)) as ClaimView;

/** The tracking number is passed as text. */
export const trackingNumberText = (trackingNumber: string | undefined) =>
  trackingNumber === undefined ? {} : { text: { field: 'trackingNumberId', value: trackingNumber } as const };
