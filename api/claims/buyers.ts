/** What the claims of members and of guests share. */
import { checkItemOf, readClaim } from '../../db/claims/queries.ts';
import { fileClaim, assessClaim } from '../../db/claims/file.ts';
import { lockItem } from '../../db/claims/item.ts';
import { type BuyerClaimView, viewClaims, withoutSellersOwn } from '../../db/claims/views.ts';
import type { Tx } from '../../db/kernel/tx.ts';
import { customerOf } from '../../db/orders/lookups.ts';
import { readItem } from '../../db/orders/queries.ts';
import { type ClaimRequest, requestProblems } from '../../domain/claims/rules.ts';
import { type ErrorCode, Fault, type FieldError } from '../../domain/kernel/errors.ts';
import type { Commands } from '../declare/commands.ts';
import type { ApiDeps } from '../declare/deps.ts';
import type { Caller } from '../declare/caller.ts';
import { imageProblems } from '../uploads/images.ts';
import { sendClaimCommand } from './sendCommand.ts';

/** The refusals of a claim, in their order. */
export const FILING_ERRORS = [
  'ORDER_ITEM_NOT_FOUND',
  'INVALID_STATUS',
  'CLAIM_IN_PROGRESS',
  'EXCHANGE_NOT_SUPPORTED',
  'PERIOD_EXPIRED',
  'INVALID_QUANTITY',
  'VARIANT_NOT_FOUND',
] as const satisfies readonly ErrorCode[];

/** What the schema of a claim does not say. */
export const filingProblems = async (
  request: { readonly images?: readonly (string | undefined)[] | undefined } & {
    readonly [K in keyof Omit<ClaimRequest, 'images'>]?: ClaimRequest[K] | undefined;
  },
  deps: ApiDeps,
  caller: Caller,
): Promise<FieldError[]> => [
  ...requestProblems(request as Partial<ClaimRequest>),
  ...(await imageProblems(request.images ?? [], deps, caller)),
];

/** ORDER_ITEM_NOT_FOUND unless the item is the customer's. */
export async function checkOwner(tx: Tx, orderItemId: string, customerId: string): Promise<void> {
  if ((await customerOf(tx, orderItemId)) !== customerId) throw new Fault('ORDER_ITEM_NOT_FOUND');
}
export const checkGuestItem = checkItemOf;

/** Files a claim, and answers with it. */
export async function submitClaim(tx: Tx, orderItemId: string, request: ClaimRequest, { config }: ApiDeps) {
  const claim = await fileClaim(await lockItem(tx, orderItemId), request, config.publicUrl);
  await tx.em.flush();
  const view = withoutSellersOwn((await viewClaims(tx, [claim]))[0]!);
  tx.feed.answered(view);
  return view;
}

/** What filing would answer and give back. */
export async function preview(tx: Tx, orderItemId: string, request: ClaimRequest) {
  const { mode, quantity, amounts, deliveryFeeWon } = await assessClaim(tx, await readItem(tx, orderItemId), request);
  return {
    type: request.type,
    quantity,
    completesAtOnce: mode === 'AT_ONCE',
    expectedRefundAmount: amounts.refundAmount,
    expectedDeliveryFeeRefundAmount: amounts.deliveryFeeRefundAmount,
    expectedPointRefundAmount: amounts.pointRefundAmount,
    deliveryFeeChargeAmount: amounts.deliveryFeeChargeAmount,
    deliveryFeeChargeRefundAmount: amounts.deliveryFeeChargeRefundAmount,
    couponChargeAmount: amounts.couponChargeAmount,
    couponChargeRefundAmount: amounts.couponChargeRefundAmount,
    deductAmount: amounts.deductAmount,
    claimDeliveryFee: deliveryFeeWon,
  };
}

/** A buyer withdraws a claim. CLAIM_NOT_FOUND unless `isTheirs`. */
export async function withdrawClaim(
  call: { readonly commands: Commands; readonly params: { readonly claimId: string } },
  isTheirs: (claim: { readonly customerId?: string | null | undefined; readonly orderId: string; readonly orderItemId: string }) => boolean,
) {
  const claim = await call.commands.read((tx) => readClaim(tx, call.params.claimId));
  if (!isTheirs(claim)) throw new Fault('CLAIM_NOT_FOUND');
  return (await sendClaimCommand(call, () => ({ name: 'withdraw', input: {} }))) as BuyerClaimView;
}
