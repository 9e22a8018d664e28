import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { EntryType, GrantType } from '../../domain/points/entries.ts';
import { storeId, time, won } from '../kernel/columns.ts';

/** A store's policy; without a row it has none. */
export const PointPolicyEntity = defineEntity({
  name: 'PointPolicy',
  tableName: 'point_policy',
  properties: {
    storeId: storeId(),
    reviewEnabled: p.boolean(),
    textWon: won(),
    photoWon: won(),
    earnEnabled: p.boolean(),
    earnRateBp: p.integer(),
    useEnabled: p.boolean(),
    minBalanceWon: won(),
    minAmountWon: won(),
    useUnit: p.integer(),
    maxRatioBp: p.integer(),
    includesDeliveryFee: p.boolean(),
    expiryDays: p.integer().nullable(),
    /** The first time that it was written. */
    openedAt: time(),
    updatedAt: time(),
  },
});
export type PointPolicyRow = InferEntity<typeof PointPolicyEntity>;

/** Amounts of the ledger may exceed 32 bits. */
const ledgerWon = () => p.bigint('number');

export const PointAccountEntity = defineEntity({
  name: 'PointAccount',
  tableName: 'point_account',
  properties: {
    storeId: storeId(),
    customerId: p.string().primary(),
    /** What remains in all lots, the dead ones included until their EXPIRE. */
    balanceWon: ledgerWon(),
    entryCount: p.integer(),
    lastAt: time(),
  },
});

export const PointHistoryEntity = defineEntity({
  name: 'PointHistory',
  tableName: 'point_history',
  properties: {
    storeId: storeId(),
    historyId: p.string().primary(),
    customerId: p.string(),
    seq: p.integer(),
    type: p.string().$type<EntryType>(),
    amountWon: ledgerWon(),
    balanceWon: ledgerWon(),
    memo: p.string().nullable(),
    orderId: p.string().nullable(),
    orderItemId: p.string().nullable(),
    paymentId: p.string().nullable(),
    reviewId: p.string().nullable(),
    reference: p.string().nullable(),
    expiresAt: time().nullable(),
    createdAt: time(),
  },
});

export const PointLotEntity = defineEntity({
  name: 'PointLot',
  tableName: 'point_lot',
  properties: {
    storeId: storeId(),
    lotId: p.string().primary(),
    customerId: p.string(),
    historyId: p.string(),
    seq: p.integer(),
    type: p.string().$type<GrantType>(),
    amountWon: ledgerWon(),
    remainingWon: ledgerWon(),
    refills: p.integer(),
    earnedAt: time(),
    expiresAt: time(),
  },
});

export const PointMovementEntity = defineEntity({
  name: 'PointMovement',
  tableName: 'point_movement',
  properties: {
    storeId: storeId(),
    historyId: p.string().primary(),
    lotId: p.string().primary(),
    amountWon: ledgerWon(),
  },
});
