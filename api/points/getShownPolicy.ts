import { readPolicy } from '../../db/points/policy.ts';
import { EDIT_DAYS, WRITE_DAYS } from '../../domain/reviews/rules.ts';
import { endpoint } from '../declare/endpoint.ts';
import { ShownPointPolicy } from './schemas.ts';

export const getShownPolicy = endpoint({
  id: 'points.getShownPolicy',
  route: 'GET /storefront/v1/point-policy',
  summary: 'Read what the shop gives points for; a change shows within 60 seconds',
  access: 'storefront',
  isPublic: true,
  change: 'none',
  data: ShownPointPolicy,
}).handle(async ({ tx, setHeader }) => {
  const { reviewReward, purchaseEarn, use, expiryDays } = await readPolicy(tx);
  setHeader('Cache-Control', 'public, max-age=60');
  setHeader('Vary', 'X-Store-Code');
  return { reviewReward, purchaseEarn, use, expiryDays, review: { writeDays: WRITE_DAYS, editDays: EDIT_DAYS } };
});
