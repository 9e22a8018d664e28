import { COLLECTION_METHODS, collectionProblems } from '../../domain/claims/rules.ts';
import { endpoint } from '../declare/endpoint.ts';
import { closed, oneOf, Type } from '../declare/schema.ts';
import { CarrierCode, Claim, TrackingNumber } from './schemas.ts';
import { trackingNumberText } from '../declare/sender.ts';
import { CLAIM_ERRORS, sendSellerCommand } from './sendCommand.ts';
import { CLAIM } from './subject.ts';

const CARRIED = { anyOf: [{ properties: { method: { const: 'BUYER_SEND' } } }, { required: ['carrierCode'] }] };

export const collect = endpoint({
  id: 'claims.collect',
  route: 'POST /v1/claims/{claimId}/collect',
  summary: 'Register how the goods come back',
  access: 'store',
  scopes: ['claim:rw'],
  agent: 'direct',
  target: CLAIM,
  change: 'workflow',
  idempotent: true,
  body: closed(
    { method: oneOf(COLLECTION_METHODS), carrierCode: Type.Optional(CarrierCode), trackingNumber: Type.Optional(TrackingNumber) },
    { title: 'CollectionRequest', 'x-document': CARRIED },
  ),
  data: Claim,
  errors: [...CLAIM_ERRORS, 'COLLECTION_NOT_REQUIRED'],
  check: collectionProblems,
}).handle((call) => {
  const { trackingNumber, ...input } = call.body;
  return sendSellerCommand(call, { name: 'collect', input, ...trackingNumberText(trackingNumber) });
});
