import { MAX_HOLD_MS } from '../../domain/claims/rules.ts';
import { endpoint } from '../declare/endpoint.ts';
import { Claim, HoldRequest } from './schemas.ts';
import { CLAIM_ERRORS, sendSellerCommand } from './sendCommand.ts';
import { CLAIM } from './subject.ts';

export const hold = endpoint({
  id: 'claims.hold',
  route: 'POST /v1/claims/{claimId}/hold',
  summary: 'Put a claim off, once and for at most seven days; then it is REQUESTED again by itself',
  access: 'store',
  scopes: ['claim:rw'],
  agent: 'direct',
  target: CLAIM,
  change: 'workflow',
  idempotent: true,
  body: HoldRequest,
  data: Claim,
  errors: [...CLAIM_ERRORS, 'ALREADY_HELD'],
  check: ({ until }, _, { at }) => {
    const time = until === undefined ? null : Date.parse(until);
    return time !== null && (time <= at || time > at + MAX_HOLD_MS)
      ? [{ field: 'until', code: 'OUT_OF_RANGE', message: 'It lies in the next seven days.' }]
      : [];
  },
}).handle((call) => {
  const { reason: value, until } = call.body;
  const input = { until: until === undefined ? call.at + MAX_HOLD_MS : Date.parse(until) };
  return sendSellerCommand(call, { name: 'hold', input, texts: { reasonId: value } });
});
