import { defineEntity, p } from '@mikro-orm/core';
import { storeId } from '../kernel/columns.ts';

const sum = () => p.bigint('number').defaultRaw('0');
/**
 * A part of what a store sold and paid back on a Korean day by one provider and method; written by triggers (db/migrations/0033_sales.ts).
 */
export const SalesSumEntity = defineEntity({
  name: 'SalesSum',
  tableName: 'sales_sum',
  properties: {
    storeId: storeId(),
    day: p.date().primary(),
    /** Empty: nothing was paid in cash. */
    pg: p.string().primary(),
    method: p.string().primary(),
    isTest: p.boolean().primary(),
    /** One of several of a day, so that payments do not wait for each other (R2). */
    slot: p.bigint('number').primary(),
    paymentCount: sum(),
    paymentWon: sum(),
    pointWon: sum(),
    refundCount: sum(),
    refundWon: sum(),
  },
});
