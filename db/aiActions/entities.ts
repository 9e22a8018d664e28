import { defineEntity, p } from '@mikro-orm/core';
import { storeId } from '../kernel/columns.ts';

/** AI actions of a store in a Korean month. */
export const AiUsageEntity = defineEntity({
  name: 'AiUsage',
  tableName: 'ai_usage',
  properties: {
    storeId: storeId(),
    /** `2026-11` */
    month: p.string().primary(),
    used: p.integer(),
  },
});
