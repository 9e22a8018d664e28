import { endpoint } from '../declare/endpoint.ts';
import { closed, Id, Type } from '../declare/schema.ts';
import { CarrierCode, Claim, TrackingNumber } from './schemas.ts';
import { trackingNumberText } from '../declare/sender.ts';
import { CLAIM_ERRORS, sendSellerCommand } from './sendCommand.ts';
import { CLAIM } from './subject.ts';

export const redeliver = endpoint({
  id: 'claims.redeliver',
  route: 'POST /v1/claims/{claimId}/redelivery',
  summary: 'Register what is sent in exchange; it leaves the stock',
  access: 'store',
  scopes: ['claim:rw'],
  agent: 'direct',
  target: CLAIM,
  change: 'workflow',
  idempotent: true,
  body: closed(
    {
      optionId: Type.Optional({ ...Id, description: 'An option of the same product; the one that the claim names when omitted' }),
      carrierCode: CarrierCode,
      trackingNumber: TrackingNumber,
    },
    { title: 'RedeliveryRequest' },
  ),
  data: Claim,
  errors: [...CLAIM_ERRORS, 'OUT_OF_STOCK', 'VARIANT_NOT_FOUND'],
}).handle((call) => {
  const { trackingNumber, ...input } = call.body;
  return sendSellerCommand(call, { name: 'redeliver', input, ...trackingNumberText(trackingNumber) });
});
