/**
 * Connects payments and orders: a payment that is completed creates its order in the same transaction. Neither folder imports the other's
 * commands.
 */
import type { RunEvent, RunRef } from '../workflows/kernel/messages.ts';
import type { Tx } from './kernel/tx.ts';
import { createOrder } from './orders/create.ts';
import type { Checkout } from './checkout/entities.ts';
import { type PaymentStart, startPayment } from './payments/commands.ts';
import { transitionPayment } from './payments/transition.ts';

/** The start of a checkout payment. */
export const startPurchase = (tx: Tx, checkout: Checkout, start: PaymentStart) => startPayment(tx, checkout, start, createOrder);

/** The transition of a checkout payment. */
export const transitionPurchase = (tx: Tx, run: RunRef, event: RunEvent<'payment'>) => transitionPayment(tx, run, event, createOrder);
