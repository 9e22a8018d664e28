/**
 * Connects payments and orders: an approved payment creates its order in the same transaction. Neither folder imports the other's commands.
 */
import type { RunEvent, RunRef } from '../workflows/kernel/messages.ts';
import type { Moment } from './kernel/clock.ts';
import type { Em } from './kernel/tx.ts';
import { createOrder } from './orders/create.ts';
import { transitionPayment } from './payments/transition.ts';

/** The transition of a checkout payment. */
export const transitionPurchase = (em: Em, run: RunRef, event: RunEvent<'payment'>, moment: Moment) =>
  transitionPayment(em, run, event, moment, createOrder);
