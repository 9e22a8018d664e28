import { defineEntity, p } from '@mikro-orm/core';
import { time, times } from '../kernel/columns.ts';

/** Uses of a limit, over all stores. Real time. */
export const RateLimitEntity = defineEntity({
  name: 'RateLimit',
  tableName: 'rate_limit',
  properties: {
    /** A keyed digest. */
    key: p.blob().primary(),
    usedAt: times(),
    expiresAt: time(),
  },
});
