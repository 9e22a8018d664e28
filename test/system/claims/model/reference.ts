/**
 * What the API answers about one order, written from the specification (Part A "Claims", D11, D12, D18, D19, D33, D46–D52, F37), not from
 * the code.
 */
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
  switch (action.do) {
    case 'preview':
      return { data: previewed(shop, action.filing) };
    case 'file':
      return file(shop, action.filing);
    case 'confirm':
    case 'dispatch':
    case 'delivered':
    case 'fulfill':
    case 'decide':
    case 'extend':
      return { data: { status: moveLine(shop, shop.lines[action.line]!, action.do).status } };
    case 'cancel':
      return cancel(shop, action);
    case 'process':
      if (!(action.refundId in shop.heldRefunds)) refuse('REFUND_NOT_HELD');
      delete shop.heldRefunds[action.refundId];
      shop.releasedRefunds[action.refundId] = true;
      return { data: { refundId: action.refundId } };
    case 'advance':
      for (let i = 0; i < action.days; i++) passDay(shop);
      return { data: {} };
    case 'stock':
      shop.stock[action.optionId] = action.quantity;
      return { data: { stockQuantity: action.quantity } };
    default:
      return handle(shop, action);
  }
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
function moveLine(shop: Shop, line: Line, move: Move): Line {
  if (!shop.isMember && (move === 'decide' || move === 'extend')) refuse('ORDER_ITEM_NOT_FOUND', 404);
  if (move === 'fulfill' && line.isShipped) refuse('SHIPPING_REQUIRED');
  if ((move === 'dispatch' || move === 'delivered') && !line.isShipped) refuse('NOT_SHIPPABLE');
  if (openClaim(shop, line)) refuse('CLAIM_IN_PROGRESS');
  const from: Readonly<Record<Move, readonly Line['status'][]>> = {
    confirm: ['PAID'],
    dispatch: ['CONFIRMED'],
    delivered: ['DISPATCHED'],
    fulfill: ['PAID', 'CONFIRMED'],
    decide: ['DELIVERED'],
    extend: ['DELIVERED'],
  };
  if (!from[move].includes(line.status)) refuse('INVALID_STATUS');
  const after = (days: number) => (days === 0 ? null : shop.day + days);
  if (move === 'extend') {
    if (line.due === null) refuse('INVALID_STATUS');
    line.due! += 7;
  } else if (move === 'confirm') Object.assign(line, { status: 'CONFIRMED', since: shop.day });
  else if (move === 'dispatch') Object.assign(line, { status: 'DISPATCHED', since: shop.day, due: after(shop.autoDeliverDays) });
  else if (move === 'decide') Object.assign(line, { status: 'PURCHASE_DECIDED', since: shop.day, due: null });
  else Object.assign(line, { status: 'DELIVERED', since: shop.day, due: after(shop.autoConfirmDays) });
  return line;
}

/** A day passes: what falls due on it happens. */
function passDay(shop: Shop): void {
  shop.day += 1;
  for (const claim of shop.claims)
    if (claim.status === 'HELD' && claim.heldUntil === shop.day) Object.assign(claim, { status: 'REQUESTED', heldUntil: null });
  for (const line of shop.lines) {
    if (line.due !== shop.day) continue;
    const isDelivered = line.status === 'DISPATCHED';
    Object.assign(line, {
      status: isDelivered ? 'DELIVERED' : 'PURCHASE_DECIDED',
      since: shop.day,
      due: isDelivered && shop.autoConfirmDays > 0 ? shop.day + shop.autoConfirmDays : null,
    });
  }
}
