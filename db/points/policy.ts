/** The store's point policy. */
import { Fault } from '../../domain/kernel/errors.ts';
import { endOfDayAfter } from '../../domain/points/expiry.ts';
import {
  DEFAULT_SETTINGS,
  lacksExpiry,
  merged,
  type PointPolicy,
  type PointSettings,
  type PointSettingsPatch,
  type PointSwitches,
} from '../../domain/points/policy.ts';
import type { Tx } from '../kernel/tx.ts';
import { readSwitches } from '../kernel/pointSwitches.ts';
import { lockStore } from '../stores/commands.ts';
import { PointPolicyEntity, type PointPolicyRow } from './entities.ts';

export type { PointPolicy } from '../../domain/points/policy.ts';

let read: PointSwitches | undefined;
/** The operator's, read once. */
const switches = (): PointSwitches => (read ??= readSwitches());

/** The defaults where the store has never written one. */
export async function readPolicy({ em, storeId }: Tx): Promise<PointPolicy> {
  const row = await em.findOne(PointPolicyEntity, { storeId });
  return { ...(row ? settingsOf(row) : DEFAULT_SETTINGS), ...switches() };
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

/**
 * Changes the leaves that are sent, under the store's lock, so that parallel changes of others stand (N2). POINTS_UNAVAILABLE,
 * POINT_EXPIRY_REQUIRED.
 */
export async function replacePolicy(tx: Tx, patch: PointSettingsPatch): Promise<PointPolicy> {
  const { em, storeId, at } = tx;
  const { available, useAvailable } = switches();
  if (!available || (patch.use?.enabled === true && !useAvailable)) throw new Fault('POINTS_UNAVAILABLE');
  await lockStore(tx);
  const row = await em.findOne(PointPolicyEntity, { storeId }, { refresh: true });
  const settings = merged(row ? settingsOf(row) : DEFAULT_SETTINGS, patch);
  if (lacksExpiry(settings)) throw new Fault('POINT_EXPIRY_REQUIRED');
  const columns = { ...columnsOf(settings), updatedAt: new Date(at) };
  if (row) Object.assign(row, columns);
  else em.create(PointPolicyEntity, { storeId, ...columns, openedAt: new Date(at) });
  return { ...settings, ...switches() };
}

const columnsOf = ({ reviewReward, purchaseEarn, use, expiryDays }: PointSettings) => ({
  reviewEnabled: reviewReward.enabled,
  textWon: reviewReward.textPoint,
  photoWon: reviewReward.photoPoint,
  earnEnabled: purchaseEarn.enabled,
  earnRateBp: purchaseEarn.rateBp,
  useEnabled: use.enabled,
  minBalanceWon: use.minBalance,
  minAmountWon: use.minAmount,
  useUnit: use.unit,
  maxRatioBp: use.maxRatioBp,
  includesDeliveryFee: use.includeDeliveryFee,
  expiryDays,
});

/** When the opening balances of a store expire; null before its policy names an expiry. */
export async function openingExpiry({ em, storeId }: Tx): Promise<number | null> {
  const row = await em.findOne(PointPolicyEntity, { storeId });
  return row?.expiryDays ? endOfDayAfter(row.openedAt.getTime(), row.expiryDays) : null;
}
