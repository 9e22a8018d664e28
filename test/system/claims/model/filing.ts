/** How a claim is filed, and how it ends. */
import { type Amounts, type Departure, leave, NO_MONEY } from './money.ts';
import { type Answer, type Claim, type ClaimType, type Filing, type Line, refuse, type Shop } from './state.ts';

const REASONS: Readonly<Record<ClaimType, readonly string[]>> = {
  CANCEL: ['CHANGE_OF_MIND', 'ORDER_MISTAKE', 'DELIVERY_DELAY', 'OTHER'],
  RETURN: ['CHANGE_OF_MIND', 'DEFECTIVE', 'WRONG_ITEM', 'OPTION_CHANGE', 'OTHER'],
  EXCHANGE: ['CHANGE_OF_MIND', 'DEFECTIVE', 'WRONG_ITEM', 'OPTION_CHANGE', 'OTHER'],
};
const FAULTS: ReadonlySet<string> = new Set(['DEFECTIVE', 'WRONG_ITEM', 'DELIVERY_DELAY']);
const isOpen = ({ status }: Claim): boolean => !['COMPLETED', 'REJECTED', 'WITHDRAWN'].includes(status);
export const openClaim = (shop: Shop, line: Line): Claim | undefined =>
  shop.claims.find((claim) => shop.lines[claim.line] === line && isOpen(claim));
export const activeQuantity = ({ quantity, left }: Line): number => quantity - left;

/** The stages in which each claim is taken. */
function checkStage(shop: Shop, { status, isShipped, since }: Line, type: ClaimType): void {
  const stages: readonly Line['status'][] =
    type === 'CANCEL' ? ['PAID', 'CONFIRMED'] : ['DELIVERED', ...(isShipped ? (['DISPATCHED'] as const) : [])];
  if (!stages.includes(status)) refuse('INVALID_STATUS');
  if (status === 'DELIVERED' && shop.day - since >= 7) refuse('PERIOD_EXPIRED');
}

/** The refusals of a claim, in their order; what is left is what it is about, and whether it is done at once. */
function admit(shop: Shop, { line: index, type, reason, quantity: wanted, exchangeOptionId, isStranger }: Filing) {
  const line = shop.lines[index]!;
  if (!REASONS[type].includes(reason) || (exchangeOptionId !== undefined && type !== 'EXCHANGE')) refuse('VALIDATION_FAILED', 400);
  if (isStranger) refuse('ORDER_ITEM_NOT_FOUND', 404);
  const active = activeQuantity(line);
  if (active === 0) refuse('INVALID_STATUS');
  if (openClaim(shop, line)) refuse('CLAIM_IN_PROGRESS');
  if (type === 'EXCHANGE' && !line.isShipped) refuse('EXCHANGE_NOT_SUPPORTED');
  checkStage(shop, line, type);
  const quantity = wanted ?? active;
  if (quantity > active) refuse('INVALID_QUANTITY', 400);
  const optionId = exchangeOptionId ?? line.optionId;
  if (![line.optionId, line.otherOptionId].includes(optionId)) refuse('VARIANT_NOT_FOUND', 404);
  const isFault = FAULTS.has(reason);
  const claimDeliveryFee = claimFee(line, type, isFault);
  return { line, quantity, optionId, isFault, claimDeliveryFee, isAtOnce: type === 'CANCEL' && line.status === 'PAID' };
}
/** Of an exchange, which the seller bills. */
const claimFee = ({ policy }: Line, type: ClaimType, isFault: boolean): number =>
  type !== 'EXCHANGE' || (isFault && policy.sellerFaultFreeShipping) ? 0 : policy.exchangeDeliveryFee;

const quote = (shop: Shop, line: Line, type: ClaimType, departure: Omit<Departure, 'isReturn'>): Amounts =>
  type === 'EXCHANGE' ? NO_MONEY : leave(shop, line, { ...departure, isReturn: type === 'RETURN' }, false);
const expectedOf = ({ refundAmount, deliveryFeeRefundAmount, pointRefundAmount }: Amounts) => ({
  expectedRefundAmount: refundAmount,
  expectedDeliveryFeeRefundAmount: deliveryFeeRefundAmount,
  expectedPointRefundAmount: pointRefundAmount,
});

export function previewed(shop: Shop, filing: Filing): Answer['data'] {
  const { line, quantity, isFault, isAtOnce, claimDeliveryFee } = admit(shop, filing);
  const amounts = quote(shop, line, filing.type, { quantity, isFault, deduct: 0 });
  const { refundAmount: _cash, pointRefundAmount: _points, deliveryFeeRefundAmount: _fee, ...charges } = amounts;
  return { type: filing.type, quantity, completesAtOnce: isAtOnce, claimDeliveryFee, ...expectedOf(amounts), ...charges };
}

export function file(shop: Shop, filing: Filing): Answer {
  const { line, quantity, optionId, isFault, isAtOnce, claimDeliveryFee } = admit(shop, filing);
  const claim: Claim = {
    claimId: '',
    type: filing.type,
    line: filing.line,
    quantity,
    isFault,
    optionId,
    status: 'REQUESTED',
    isHoldUsed: false,
    heldUntil: null,
    restocked: 0,
    shortfall: 0,
    amounts: NO_MONEY,
    expected: null,
  };
  shop.claims.push(claim);
  line.daysLeft = line.due === null ? null : line.due - shop.day;
  line.due = null;
  if (isAtOnce) approve(shop, claim, 0);
  return { status: 201, data: { ...viewOf(shop, claim), claimDeliveryFee }, learn: ({ claimId }) => void (claim.claimId = claimId!) };
}

export function viewOf(shop: Shop, claim: Claim): Answer['data'] {
  const { type, status, quantity, isFault, isHoldUsed, amounts } = claim;
  const expected = claim.expected ?? quote(shop, shop.lines[claim.line]!, type, { quantity, isFault, deduct: 0 });
  return { type, status, quantity, holdUsed: isHoldUsed, ...amounts, ...expectedOf(expected) };
}

/** A claim ends: the item goes on with the days that were left. */
export function close(shop: Shop, claim: Claim, status: Claim['status']): Line {
  const line = shop.lines[claim.line]!;
  const { type, quantity, isFault } = claim;
  claim.expected = quote(shop, line, type, { quantity, isFault, deduct: 0 });
  claim.status = status;
  claim.heldUntil = null;
  line.due = line.daysLeft === null ? null : shop.day + line.daysLeft;
  line.daysLeft = null;
  return line;
}

export function approve(shop: Shop, claim: Claim, deduct: number): void {
  const line = close(shop, claim, 'COMPLETED');
  const { type, quantity, isFault } = claim;
  if (type === 'CANCEL' || !line.isShipped) {
    shop.stock[line.optionId]! += quantity;
    claim.restocked = quantity;
  }
  claim.amounts = leave(shop, line, { quantity, isFault, deduct, isReturn: type === 'RETURN' }, true);
  end(line, type === 'CANCEL' ? 'CANCELED' : 'RETURNED');
}
/** The last units have left. */
export function end(line: Line, status: Line['status']): void {
  if (activeQuantity(line) > 0) return;
  line.status = status;
  line.due = null;
}
