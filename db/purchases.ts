/**
 * Connects payments and orders: an approved payment creates its order in the same transaction. Neither folder imports the other's commands.
 */
import type { RunEvent, RunRef } from '../workflows/kernel/messages.ts';
import type { Tx } from './kernel/tx.ts';
import { createOrder } from './orders/create.ts';
import { transitionPayment } from './payments/transition.ts';

/** The transition of a checkout payment. */
export const transitionPurchase = (tx: Tx, run: RunRef, event: RunEvent<'payment'>) => transitionPayment(tx, run, event, createOrder);
