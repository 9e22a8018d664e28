import type { PointEntry } from '../../db/points/account.ts';
import type { EntryPosition, Points, ShownLot } from '../../db/points/queries.ts';
import { ENTRY_TYPES, GRANT_TYPES } from '../../domain/points/entries.ts';
import { invalid } from '../../domain/kernel/errors.ts';
import { korean, koreanOf } from '../../domain/kernel/time.ts';
import { type CursorPosition, cursorQuery, readCursor } from '../declare/cursor.ts';
import { closed, Id, nullable, Timestamp, Type, Won } from '../declare/schema.ts';

const Reward = Type.Integer({ minimum: 0, maximum: 100_000, description: 'Points; one point is one won' });
const RateBp = Type.Integer({ minimum: 0, maximum: 3000, description: 'Hundredths of a percent: 100 is 1 %' });
const Unit = Type.Integer({ enum: [1, 10, 100], description: 'Partial uses are multiples of it' });
const RatioBp = Type.Integer({ minimum: 1, maximum: 10_000, description: 'The most that points may pay, in hundredths of a percent' });
const ExpiryDays = Type.Integer({ minimum: 30, maximum: 1825, description: 'Points expire at the end of this Korean day' });

const reviewReward = { enabled: Type.Boolean(), textPoint: Reward, photoPoint: Reward };
const purchaseEarn = { enabled: Type.Boolean(), rateBp: RateBp };
const use = {
  enabled: Type.Boolean(),
  minBalance: Won,
  minAmount: { ...Won, description: 'The smallest use at once' },
  unit: Unit,
  maxRatioBp: RatioBp,
  includeDeliveryFee: Type.Boolean(),
};
const settings = {
  reviewReward: closed(reviewReward, { title: 'PointReviewReward' }),
  purchaseEarn: closed(purchaseEarn, { title: 'PointPurchaseEarn' }),
  use: closed(use, { title: 'PointUse' }),
  expiryDays: nullable(ExpiryDays),
};
export const PointPolicy = closed(
  { ...settings, available: Type.Boolean(), useAvailable: Type.Boolean() },
  { title: 'PointPolicy', description: 'The last two are the operator’s' },
);
export const PointPolicyChange = closed(
  {
    reviewReward: Type.Optional(
      closed({ enabled: Type.Optional(Type.Boolean()), textPoint: Type.Optional(Reward), photoPoint: Type.Optional(Reward) }),
    ),
    purchaseEarn: Type.Optional(closed({ enabled: Type.Optional(Type.Boolean()), rateBp: Type.Optional(RateBp) })),
    use: Type.Optional(
      closed({
        enabled: Type.Optional(Type.Boolean()),
        minBalance: Type.Optional(Won),
        minAmount: Type.Optional(Won),
        unit: Type.Optional(Unit),
        maxRatioBp: Type.Optional(RatioBp),
        includeDeliveryFee: Type.Optional(Type.Boolean()),
      }),
    ),
    expiryDays: Type.Optional(nullable(ExpiryDays)),
  },
  { title: 'PointPolicyChange' },
);
export const ShownPointPolicy = closed(
  {
    ...settings,
    review: closed({ writeDays: Type.Integer(), editDays: Type.Integer() }, { description: 'Days after the decision, and after writing' }),
  },
  { title: 'ShownPointPolicy' },
);

/** Balances and sums of lots may exceed what one change may move. */
export const Total = Type.Integer({ minimum: 0, description: 'Won' });
const Lot = closed(
  {
    lotId: Id,
    type: Type.String({ description: GRANT_TYPES.join(', ') }),
    amount: Total,
    remaining: Total,
    earnedAt: Timestamp,
    expiresAt: Timestamp,
  },
  { title: 'PointLot' },
);
const points = {
  balance: Total,
  expiringSoon: Total,
  lots: Type.Array(Lot, { description: 'The first 1,000, in the order in which they are spent' }),
};
export const MyPoints = closed(points, { title: 'MyPoints' });
export const CustomerPoints = closed({ customerId: Id, ...points }, { title: 'CustomerPoints' });

const viewLot = ({ lotId, type, amountWon, remainingWon, earnedAt, expiresAt }: ShownLot) => ({
  lotId,
  type,
  amount: amountWon,
  remaining: remainingWon,
  earnedAt: korean(earnedAt),
  expiresAt: korean(expiresAt),
});
export const viewPoints = ({ balanceWon, expiringSoonWon, lots }: Points) => ({
  balance: balanceWon,
  expiringSoon: expiringSoonWon,
  lots: lots.map(viewLot),
});

const EntryType = Type.String({ description: `${ENTRY_TYPES.join(', ')}; more may follow` });
const Amount = Type.Integer({ description: 'Won, signed' });
export const PointEntryView = closed(
  {
    historyId: Id,
    customerId: Id,
    type: EntryType,
    amount: Amount,
    balance: Total,
    memo: nullable(Type.String({ description: 'The reason of an adjustment' })),
    orderId: nullable(Id),
    orderItemId: nullable(Id),
    paymentId: nullable(Id),
    reviewId: nullable(Id),
    expiresAt: nullable(Timestamp),
    createdAt: Timestamp,
  },
  { title: 'PointEntry' },
);
export const MyPointEntry = closed(
  {
    historyId: Id,
    type: EntryType,
    amount: Amount,
    balance: Total,
    orderId: nullable(Id),
    expiresAt: nullable(Timestamp),
    createdAt: Timestamp,
  },
  { title: 'MyPointEntry' },
);

/** What a buyer sees: no reason, nothing of the seller's. */
export const viewMyEntry = ({ historyId, type, amountWon, balanceWon, orderId, expiresAt, createdAt }: PointEntry) => ({
  historyId,
  type,
  amount: amountWon,
  balance: balanceWon,
  orderId,
  expiresAt: koreanOf(expiresAt),
  createdAt: koreanOf(createdAt),
});
export const viewEntry = (entry: PointEntry) => {
  const { customerId, memo, orderItemId, paymentId, reviewId } = entry;
  return { ...viewMyEntry(entry), customerId, memo, orderItemId, paymentId, reviewId };
};

/** The name of the order of entries in cursors. */
const NEWEST = 'h';
export const historyCursor = cursorQuery(NEWEST);
export const cursorOf = ({ createdAt, seq, historyId }: PointEntry): CursorPosition => ({
  order: NEWEST,
  at: createdAt.getTime(),
  id: `${seq}_${historyId}`,
});
/** The position that a cursor names, as a part of a filter. */
export function afterOf(cursor: string | undefined): { readonly after?: EntryPosition } {
  const position = readCursor(cursor, [NEWEST]);
  if (!position) return {};
  const [, seq, historyId] = /^(\d{1,9})_(pth_[0-9A-Za-z]+)$/.exec(position.id) ?? [];
  if (seq === undefined || historyId === undefined) throw invalid('cursor', 'INVALID', 'This is no cursor of this list.');
  return { after: { at: position.at, seq: Number(seq), historyId } };
}
