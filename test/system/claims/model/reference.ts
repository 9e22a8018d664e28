/** What the API answers about one order, written from the specification (docs/contract.md#claims), not from the code. */
import { activeQuantity, end, file, openClaim, previewed } from './filing.ts';
import { handle, learnRefund } from './handling.ts';
import { leave } from './money.ts';
import { type Action, type Answer, type Expected, type Line, Refusal, refuse, type Shop } from './state.ts';

/** Carries an action out in the books; a refused one changes nothing. */
export function apply(shop: Shop, action: Action): Expected {
  try {
    return { status: 200, code: null, ...carryOut(shop, action) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { status: error.status, code: error.code, data: {} };
  }
}

function carryOut(shop: Shop, action: Action): Answer {
  if ('claimId' in action) return handle(shop, action);
  switch (action.do) {
    case 'preview':
      return { data: previewed(shop, action.filing) };
    case 'file':
      return file(shop, action.filing);
    case 'cancel':
      return cancel(shop, action);
    case 'process':
      return process(shop, action.refundId);
    case 'advance':
      return { data: passDays(shop, action.days) };
    case 'stock':
      shop.stock[action.optionId] = action.quantity;
      return { data: { stockQuantity: action.quantity } };
    case 'confirm':
    case 'dispatch':
    case 'delivered':
    case 'fulfill':
    case 'decide':
    case 'extend':
      return { data: { status: moveLine(shop, shop.lines[action.line]!, action.do).status } };
    default:
      return action satisfies never;
  }
}

function process({ heldRefunds, releasedRefunds }: Shop, refundId: string): Answer {
  if (!(refundId in heldRefunds)) refuse('REFUND_NOT_HELD');
  delete heldRefunds[refundId];
  releasedRefunds[refundId] = true;
  return { data: { refundId } };
}

function cancel(shop: Shop, { line: index, quantity: wanted, holdRefund }: Extract<Action, { readonly do: 'cancel' }>): Answer {
  const line = shop.lines[index]!;
  if (activeQuantity(line) === 0) refuse('ALREADY_CANCELED');
  if (openClaim(shop, line)) refuse('CLAIM_IN_PROGRESS');
  const isCancelable = ['PAID', 'CONFIRMED', ...(line.isShipped ? [] : ['DELIVERED'])].includes(line.status);
  if (!isCancelable) refuse('INVALID_STATUS');
  const quantity = wanted ?? activeQuantity(line);
  if (quantity > activeQuantity(line)) refuse('INVALID_QUANTITY', 400);
  const amounts = leave(shop, line, { quantity, isReturn: false, isFault: true, deduct: 0 }, true);
  shop.stock[line.optionId]! += quantity;
  end(line, 'CANCELED');
  const { refundAmount, pointRefundAmount, deliveryFeeRefundAmount, deliveryFeeChargeAmount } = amounts;
  return {
    data: { refundAmount, pointRefundAmount, deliveryFeeRefundAmount, deliveryFeeChargeAmount, quantity, canceledQuantity: line.left },
    learn: ({ refundId }) => learnRefund(shop, refundId, holdRefund),
  };
}

type Move = 'confirm' | 'dispatch' | 'delivered' | 'fulfill' | 'decide' | 'extend';
const FROM: Readonly<Record<Move, readonly Line['status'][]>> = {
  confirm: ['PAID'],
  dispatch: ['CONFIRMED'],
  delivered: ['DISPATCHED'],
  fulfill: ['PAID', 'CONFIRMED'],
  decide: ['DELIVERED'],
  extend: ['DELIVERED'],
};
const TO: Readonly<Record<Exclude<Move, 'extend'>, Line['status']>> = {
  confirm: 'CONFIRMED',
  dispatch: 'DISPATCHED',
  delivered: 'DELIVERED',
  fulfill: 'DELIVERED',
  decide: 'PURCHASE_DECIDED',
};
function moveLine(shop: Shop, line: Line, move: Move): Line {
  if (!shop.isMember && (move === 'decide' || move === 'extend')) refuse('ORDER_ITEM_NOT_FOUND', 404);
  if (move === 'fulfill' && line.isShipped) refuse('SHIPPING_REQUIRED');
  if ((move === 'dispatch' || move === 'delivered') && !line.isShipped) refuse('NOT_SHIPPABLE');
  if (openClaim(shop, line)) refuse('CLAIM_IN_PROGRESS');
  if (!FROM[move].includes(line.status)) refuse('INVALID_STATUS');
  if (move !== 'extend') return enter(shop, line, TO[move]);
  // Where nothing is decided by itself, nothing is put off.
  if (line.due === null) refuse('INVALID_STATUS');
  line.due! += 7;
  return line;
}

/** A status begins; in two of them an automatic step falls due, unless the store has switched it off. */
function enter({ day, autoDeliverDays, autoConfirmDays }: Shop, line: Line, status: Line['status']): Line {
  const automatic: Readonly<Record<string, number>> = { DISPATCHED: autoDeliverDays, DELIVERED: autoConfirmDays };
  const days = automatic[status] ?? 0;
  return Object.assign(line, { status, since: day, due: days === 0 ? null : day + days });
}

function passDays(shop: Shop, days: number): Answer['data'] {
  for (let i = 0; i < days; i++) passDay(shop);
  return {};
}
/** A day passes: what falls due on it happens. */
function passDay(shop: Shop): void {
  shop.day += 1;
  for (const claim of shop.claims)
    if (claim.status === 'HELD' && claim.heldUntil === shop.day) Object.assign(claim, { status: 'REQUESTED', heldUntil: null });
  for (const line of shop.lines)
    if (line.due === shop.day) enter(shop, line, line.status === 'DISPATCHED' ? 'DELIVERED' : 'PURCHASE_DECIDED');
}
