/** The store's point policy. */
import { DEFAULT_SETTINGS, type PointPolicy, type PointSettings } from '../../domain/points/policy.ts';
import type { Tx } from '../kernel/tx.ts';
import { readSwitches } from '../kernel/pointSwitches.ts';
import { PointPolicyEntity, type PointPolicyRow } from './entities.ts';

export type { PointPolicy } from '../../domain/points/policy.ts';

const switches = readSwitches();

/** The defaults where the store has never written one. */
export async function readPolicy({ em, storeId }: Tx): Promise<PointPolicy> {
  const row = await em.findOne(PointPolicyEntity, { storeId });
  return { ...(row ? settingsOf(row) : DEFAULT_SETTINGS), ...switches };
}

const settingsOf = (row: PointPolicyRow): PointSettings => ({
  reviewReward: { enabled: row.reviewEnabled, textPoint: row.textWon, photoPoint: row.photoWon },
  purchaseEarn: { enabled: row.earnEnabled, rateBp: row.earnRateBp },
  use: {
    enabled: row.useEnabled,
    minBalance: row.minBalanceWon,
    minAmount: row.minAmountWon,
    unit: row.useUnit,
    maxRatioBp: row.maxRatioBp,
    includeDeliveryFee: row.includesDeliveryFee,
  },
  expiryDays: row.expiryDays ?? null,
});
