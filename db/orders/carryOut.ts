/** Carries out what a step of a flow does to an item besides its record: refunds, stock, the end of what remains. */
import type { Effect } from '../../domain/flows/state.ts';
import type { Tx } from '../kernel/tx.ts';
import { type Departed, NOTHING_LEFT } from './context.ts';
import type { Canceling } from './cancel.ts';
import type { Order, OrderItem } from './entities.ts';
import { cancelRest, captureStock, refundOnTheWay, restoreStock } from './flowEffects.ts';

/** The item has the state after the step; the order is locked. Effects are carried out in their order. */
export async function carryOutEffects(tx: Tx, order: Order, item: OrderItem, effects: readonly Effect[]): Promise<Departed> {
  const canceling: Canceling = { tx, order, item };
  let { recorded, canceled } = NOTHING_LEFT;
  for (const [index, effect] of effects.entries()) {
    const done = await carryOut(canceling, effect, `${item.flowState.seq}.${index}`);
    recorded = { ...recorded, ...done?.recorded };
    canceled = done?.canceled ?? canceled;
  }
  return { recorded, canceled };
}

async function carryOut(canceling: Canceling, effect: Effect, id: string): Promise<Departed | null> {
  switch (effect.type) {
    case 'refund': {
      const { refundWon: refundAmount, pointRefundWon: pointRefundAmount, refundId } = await refundOnTheWay(canceling, effect.deductWon, id);
      return { recorded: { refundAmount, pointRefundAmount, refundId }, canceled: null };
    }
    case 'stock.restore':
      await restoreStock(canceling, id);
      return null;
    case 'stock.capture': {
      const stockShortfall = await captureStock(canceling, id);
      return { recorded: stockShortfall === 0 ? {} : { stockShortfall }, canceled: null };
    }
    case 'cancel': {
      const canceled = await cancelRest(canceling);
      if (!canceled) return null;
      const { refundAmount, pointRefundAmount, refundId } = canceled;
      return { recorded: { refundAmount, pointRefundAmount, refundId }, canceled };
    }
    default:
      return null;
  }
}
