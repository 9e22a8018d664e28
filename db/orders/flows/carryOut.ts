/** Carries out what a step of a flow does to an item besides its record: refunds, stock, the end of what remains. */
import type { Effect } from '../../../domain/flows/run/state.ts';
import type { Tx } from '../../kernel/tx.ts';
import { type EffectResults, NO_EFFECT_RESULTS } from './context.ts';
import type { Canceling } from '../cancel.ts';
import type { Order, OrderItem } from '../entities.ts';
import { cancelRest, captureStock, refundOnTheWay, restoreStock } from './effects.ts';

/**
 * The item has the state after the step; the order is locked. Effects are carried out in their order. What the audit log tells of them is
 * read off the record of the step: `flowRefund`, `flowCancel`.
 */
export async function carryOutEffects(tx: Tx, order: Order, item: OrderItem, effects: readonly Effect[]): Promise<EffectResults> {
  const canceling: Canceling = { tx, order, item };
  let { recorded, canceled } = NO_EFFECT_RESULTS;
  for (const [index, effect] of effects.entries()) {
    const done = await carryOut(canceling, effect, `${item.storedState.seq}.${index}`);
    recorded = { ...recorded, ...done?.recorded };
    canceled = done?.canceled ?? canceled;
  }
  return { recorded, canceled };
}

async function carryOut(canceling: Canceling, effect: Effect, id: string): Promise<EffectResults | null> {
  if (effect.type === 'stock.restore') await restoreStock(canceling, id);
  if (effect.type === 'stock.capture') {
    const stockShortfall = await captureStock(canceling, id);
    return { recorded: stockShortfall === 0 ? {} : { stockShortfall }, canceled: null };
  }
  if (effect.type === 'refund') {
    const { refundWon: refundAmount, pointRefundWon: pointRefundAmount, refundId } = await refundOnTheWay(canceling, effect.deductWon, id);
    return { recorded: { flowRefund: { refundAmount, pointRefundAmount, refundId } }, canceled: null };
  }
  const canceled = effect.type === 'cancel' ? await cancelRest(canceling) : null;
  if (!canceled) return null;
  const { quantity, refundAmount, pointRefundAmount, refundId } = canceled;
  return { recorded: { flowCancel: { quantity, refundAmount, pointRefundAmount, refundId } }, canceled };
}
